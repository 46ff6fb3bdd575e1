"""Dynamic programming over amounts."""

import sys


def knapsack(capacity, weights, values):
    n = len(values)
    table = [[0] * (capacity + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for w in range(1, capacity + 1):
            if weights[i - 1] <= w:
                table[i][w] = max(values[i - 1] + table[i - 1][w - weights[i - 1]], table[i - 1][w])
            else:
                table[i][w] = table[i - 1][w]
    chosen = set()
    w = capacity
    for i in range(n, 0, -1):
        if table[i][w] != table[i - 1][w]:
            chosen.add(i)
            w -= weights[i - 1]
    return table[n][capacity], chosen


def coin_change(coins, amount):
    ways = [1] + [0] * amount
    for coin in coins:
        for value in range(coin, amount + 1):
            ways[value] += ways[value - coin]
    return ways[amount]


def fewest_coins(coins, amount):
    least = [0] + [sys.maxsize] * amount
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value and least[value - coin] + 1 < least[value]:
                least[value] = least[value - coin] + 1
    return -1 if least[amount] == sys.maxsize else least[amount]


def matrix_chain(sizes):
    n = len(sizes)
    cost = [[0 for _ in range(n)] for _ in range(n)]
    split = [[0 for _ in range(n)] for _ in range(n)]
    for length in range(2, n):
        for a in range(1, n - length + 1):
            b = a + length - 1
            cost[a][b] = sys.maxsize
            for c in range(a, b):
                price = cost[a][c] + cost[c + 1][b] + sizes[a - 1] * sizes[c] * sizes[b]
                if price < cost[a][b]:
                    cost[a][b] = price
                    split[a][b] = c

    def shown(i, j):
        if i == j:
            return f"A{i}"
        return "(" + shown(i, split[i][j]) + shown(split[i][j] + 1, j) + ")"

    return cost[1][n - 1], shown(1, n - 1)


def rod_cutting(n, prices):
    best = {0: (0, [])}
    for length in range(1, n + 1):
        best[length] = max(
            (prices[cut - 1] + best[length - cut][0], best[length - cut][1] + [cut]) for cut in range(1, length + 1)
        )
    return best[n]


def subset_sum(numbers, total):
    reachable = {0}
    for number in numbers:
        reachable |= {number + each for each in reachable}
    return total in reachable


def fibonacci(n, memo={}):
    if n not in memo:
        memo[n] = n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    return memo[n]


def catalan(n):
    numbers = [1] + [0] * n
    for i in range(1, n + 1):
        for j in range(i):
            numbers[i] += numbers[j] * numbers[i - j - 1]
    return numbers


def climb(steps, strides=(1, 2)):
    return 1 if steps == 0 else sum(climb(steps - stride, strides) for stride in strides if stride <= steps)


def _coins(rng):
    return rng.sample((1, 2, 3, 5, 7), rng.randint(1, 4)), rng.randint(0, 25)


CALLS = {
    knapsack: lambda rng: (
        rng.randint(3, 12),
        [rng.randint(1, 6) for _ in range(5)],
        [rng.randint(1, 9) for _ in range(5)],
    ),
    coin_change: _coins,
    fewest_coins: _coins,
    matrix_chain: lambda rng: ([rng.randint(2, 30) for _ in range(rng.randint(2, 6))],),
    rod_cutting: lambda rng: (rng.randint(0, 7), [rng.randint(1, 20) for _ in range(7)]),
    subset_sum: lambda rng: ([rng.randint(1, 12) for _ in range(6)], rng.randint(0, 40)),
    fibonacci: lambda rng: (rng.randint(0, 80),),
    catalan: lambda rng: (rng.randint(0, 15),),
    climb: lambda rng: (rng.randint(0, 10), rng.choice(((1, 2), (1, 3, 5)))),
}
