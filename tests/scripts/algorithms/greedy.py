"""Greedy algorithms and scheduling."""

from collections import deque


def activities(starts, ends):
    chosen, last = [], float("-inf")
    for start, end in sorted(zip(starts, ends), key=lambda pair: pair[1]):
        if start >= last:
            chosen.append((start, end))
            last = end
    return chosen


def fractional_knapsack(items, capacity):
    items = sorted(items, key=lambda item: item["value"] / item["weight"], reverse=True)
    total = 0
    for item in items:
        if capacity >= item["weight"]:
            capacity -= item["weight"]
            total += item["value"]
        else:
            total += item["value"] * capacity / item["weight"]
            break
    return round(total, 6)


def change(denominations, amount):
    answer = []
    for each in sorted(denominations, reverse=True):
        while amount >= each:
            amount -= each
            answer.append(each)
    return answer


def first_fit(sizes, capacity):
    bins = []
    for size in sorted(sizes, reverse=True):
        for each in bins:
            if sum(each) + size <= capacity:
                each.append(size)
                break
        else:
            bins.append([size])
    return bins


def round_robin(bursts, quantum):
    queue = deque((f"P{i}", burst) for i, burst in enumerate(bursts))
    time, finished = 0, {}
    while queue:
        name, left = queue.popleft()
        run = min(left, quantum)
        time += run
        if left > run:
            queue.append((name, left - run))
        else:
            finished[name] = time
    return finished


def jobs_by_deadline(jobs):
    slots = {}
    for name, deadline, profit in sorted(jobs, key=lambda job: -job[2]):
        for slot in range(deadline, 0, -1):
            if slot not in slots:
                slots[slot] = (name, profit)
                break
    return [slots[slot][0] for slot in sorted(slots)], sum(profit for _, profit in slots.values())


def gas_station(gas, cost):
    if sum(gas) < sum(cost):
        return -1
    start = tank = 0
    for i in range(len(gas)):
        tank += gas[i] - cost[i]
        if tank < 0:
            start, tank = i + 1, 0
    return start


def jump_game(steps):
    reach = 0
    for i, step in enumerate(steps):
        if i > reach:
            return False
        reach = max(reach, i + step)
    return True


def candy(ratings):
    sweets = [1] * len(ratings)
    for i in range(1, len(ratings)):
        if ratings[i] > ratings[i - 1]:
            sweets[i] = sweets[i - 1] + 1
    for i in range(len(ratings) - 2, -1, -1):
        if ratings[i] > ratings[i + 1]:
            sweets[i] = max(sweets[i], sweets[i + 1] + 1)
    return sum(sweets)


def stock_profit(prices):
    lowest, best = float("inf"), 0
    for price in prices:
        lowest = min(lowest, price)
        best = max(best, price - lowest)
    return best


def trapped_water(heights):
    left, right = 0, len(heights) - 1
    left_most = right_most = water = 0
    while left < right:
        if heights[left] < heights[right]:
            left_most = max(left_most, heights[left])
            water += left_most - heights[left]
            left += 1
        else:
            right_most = max(right_most, heights[right])
            water += right_most - heights[right]
            right -= 1
    return water


def stable_marriage(men, women):
    free = list(range(len(men)))
    engaged, proposals = [-1] * len(women), [0] * len(men)
    while free:
        man = free[0]
        woman = men[man][proposals[man]]
        proposals[man] += 1
        rival = engaged[woman]
        if rival == -1:
            engaged[woman] = man
            free.remove(man)
        elif women[woman].index(rival) > women[woman].index(man):
            engaged[woman] = man
            free.remove(man)
            free.append(rival)
    return engaged


def sliding_maximum(numbers, k):
    window, found = deque(), []
    for i, number in enumerate(numbers):
        while window and numbers[window[-1]] <= number:
            window.pop()
        window.append(i)
        if window[0] <= i - k:
            window.popleft()
        if i >= k - 1:
            found.append(numbers[window[0]])
    return found


def _numbers(rng, low=0):
    return ([rng.randint(low, 9) for _ in range(rng.randint(0, 8))],)


def _preferences(rng):
    return [rng.sample(range(4), 4) for _ in range(4)]


CALLS = {
    activities: lambda rng: ([1, 3, 0, 5, 8], [2, rng.randint(4, 9), 6, 7, 9]),
    fractional_knapsack: lambda rng: (
        [{"value": rng.randint(1, 9), "weight": rng.randint(0, 9)} for _ in range(4)],
        10,
    ),
    change: lambda rng: ([1, 5, 10, 25], rng.randint(0, 120)),
    first_fit: lambda rng: (*_numbers(rng), 10),
    round_robin: lambda rng: (*_numbers(rng, 1), rng.randint(1, 4)),
    jobs_by_deadline: lambda rng: ([(ch, rng.randint(0, 4), rng.randint(1, 50)) for ch in "abcdef"],),
    gas_station: lambda rng: ([rng.randint(0, 5) for _ in range(5)], [rng.randint(0, 5) for _ in range(5)]),
    jump_game: _numbers,
    candy: _numbers,
    stock_profit: _numbers,
    trapped_water: _numbers,
    stable_marriage: lambda rng: (_preferences(rng), _preferences(rng)),
    sliding_maximum: lambda rng: (*_numbers(rng), rng.randint(1, 3)),
}
