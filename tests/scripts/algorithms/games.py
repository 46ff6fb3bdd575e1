"""Games and puzzles."""

from itertools import product


def life(cells):
    """One generation of Conway's game, on a set of cells."""
    counts = {}
    for x, y in cells:
        for dx, dy in product((-1, 0, 1), repeat=2):
            if dx or dy:
                counts[x + dx, y + dy] = counts.get((x + dx, y + dy), 0) + 1
    return {cell for cell, count in counts.items() if count == 3 or (count == 2 and cell in cells)}


def life_on_grid(grid):
    height, width = len(grid), len(grid[0])
    after = []
    for i in range(height):
        row = []
        for j in range(width):
            alive = (
                sum(
                    grid[a][b]
                    for a in range(max(0, i - 1), min(height, i + 2))
                    for b in range(max(0, j - 1), min(width, j + 2))
                )
                - grid[i][j]
            )
            row.append(1 if alive == 3 or (grid[i][j] and alive == 2) else 0)
        after.append(row)
    return after


def hanoi(height, source="A", target="B", spare="C"):
    if height >= 1:
        yield from hanoi(height - 1, source, spare, target)
        yield source, target
        yield from hanoi(height - 1, spare, target, source)


def hanoi_moves(height):
    return list(hanoi(height))


def bowling(rolls):
    score = at = 0
    for _ in range(10):
        if rolls[at] == 10:
            score += 10 + rolls[at + 1] + rolls[at + 2]
            at += 1
        elif rolls[at] + rolls[at + 1] == 10:
            score += 10 + rolls[at + 2]
            at += 2
        else:
            score += rolls[at] + rolls[at + 1]
            at += 2
    return score


def winner(board):
    lines = [*board, *zip(*board), [board[i][i] for i in range(3)], [board[i][2 - i] for i in range(3)]]
    for line in lines:
        if line[0] != " " and len(set(line)) == 1:
            return line[0]
    return None if any(" " in row for row in board) else "draw"


def minimax(board, player):
    result = winner(board)
    if result:
        return {"X": 1, "O": -1, "draw": 0}[result], None
    best = (-2, None) if player == "X" else (2, None)
    for i in range(3):
        for j in range(3):
            if board[i][j] == " ":
                board[i][j] = player
                value = minimax(board, "O" if player == "X" else "X")[0]
                board[i][j] = " "
                if (player == "X" and value > best[0]) or (player == "O" and value < best[0]):
                    best = value, (i, j)
    return best


def alpha_beta(depth, index, maximising, scores, alpha, beta):
    if depth == 0:
        return scores[index]
    value = float("-inf") if maximising else float("inf")
    for child in (2 * index, 2 * index + 1):
        found = alpha_beta(depth - 1, child, not maximising, scores, alpha, beta)
        if maximising:
            value = max(value, found)
            alpha = max(alpha, value)
        else:
            value = min(value, found)
            beta = min(beta, value)
        if beta <= alpha:
            break
    return value


def josephus(n, k):
    people = list(range(1, n + 1))
    at, order = 0, []
    while people:
        at = (at + k - 1) % len(people)
        order.append(people.pop(at))
    return order


def nim(heaps):
    total = 0
    for heap in heaps:
        total ^= heap
    if total == 0:
        return None
    for i, heap in enumerate(heaps):
        if heap ^ total < heap:
            return i, heap - (heap ^ total)


def knights(size, start, goal):
    moves = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    reached, frontier, steps = {start}, {start}, 0
    while frontier and goal not in reached:
        steps += 1
        frontier = {
            (x + a, y + b) for x, y in frontier for a, b in moves if 0 <= x + a < size and 0 <= y + b < size
        } - reached
        reached |= frontier
    return steps if goal in reached else -1


def flood_fill(grid, x, y, new):
    old = grid[y][x]
    if old == new:
        return 0
    stack, count = [(x, y)], 0
    while stack:
        x, y = stack.pop()
        if 0 <= y < len(grid) and 0 <= x < len(grid[y]) and grid[y][x] == old:
            grid[y][x] = new
            count += 1
            stack += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return count


def bulls_and_cows(secret, guess):
    bulls = sum(s == g for s, g in zip(secret, guess))
    common = sum(min(secret.count(d), guess.count(d)) for d in set(guess))
    return bulls, common - bulls


def poker_rank(hand):
    values = sorted(("23456789TJQKA".index(card[0]) for card in hand), reverse=True)
    groups = sorted(((values.count(v), v) for v in set(values)), reverse=True)
    flush = len({card[1] for card in hand}) == 1
    straight = len(groups) == 5 and values[0] - values[4] == 4
    shape = tuple(count for count, _ in groups)
    rank = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0)
    return max(rank, 8 if flush and straight else 5 if flush else 4 if straight else 0), [v for _, v in groups]


def _board(rng):
    return [rng.choices("XO ", (3, 3, 1), k=3) for _ in range(3)]


CALLS = {
    life: lambda rng: ({(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(6)},),
    life_on_grid: lambda rng: ([[rng.randint(0, 1) for _ in range(4)] for _ in range(3)],),
    hanoi: lambda rng: (rng.randint(0, 4),),
    hanoi_moves: lambda rng: (rng.randint(0, 4),),
    bowling: lambda rng: ([rng.choice((10, 3, 7, 0)) for _ in range(rng.choice((12, 24)))],),
    winner: lambda rng: (_board(rng),),
    minimax: lambda rng: (_board(rng), "X"),
    alpha_beta: lambda rng: (3, 0, True, [rng.randint(-9, 9) for _ in range(8)], float("-inf"), float("inf")),
    josephus: lambda rng: (rng.randint(0, 9), rng.randint(1, 4)),
    nim: lambda rng: ([rng.randint(0, 7) for _ in range(3)],),
    knights: lambda rng: (rng.randint(3, 6), (0, 0), (rng.randint(0, 5), rng.randint(0, 5))),
    flood_fill: lambda rng: ([rng.choices("ab", k=4) for _ in range(3)], 1, 1, "c"),
    bulls_and_cows: lambda rng: ("1807", "".join(rng.choices("01788", k=4))),
    poker_rank: lambda rng: (rng.sample([v + s for v in "9TJQKA" for s in "hs"], 5),),
}
