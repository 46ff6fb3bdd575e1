"""Backtracking."""


def permutations(items):
    if len(items) <= 1:
        return [items]
    found = []
    for i, item in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1 :]):
            found.append([item] + rest)
    return found


def subsets(items):
    result = [[]]
    for item in items:
        result += [each + [item] for each in result]
    return result


def combinations(n, k):
    result = []

    def create(start, chosen):
        if len(chosen) == k:
            result.append(chosen[:])
            return
        for i in range(start, n + 1):
            chosen.append(i)
            create(i + 1, chosen)
            chosen.pop()

    create(1, [])
    return result


def queens(n):
    solutions = []

    def place(row, columns, rising, falling):
        if row == n:
            solutions.append(list(columns))
            return
        for column in range(n):
            if column not in columns and row + column not in rising and row - column not in falling:
                place(row + 1, columns + [column], rising | {row + column}, falling | {row - column})

    place(0, [], set(), set())
    return solutions


def is_safe(grid, row, column, n):
    for i in range(9):
        if n in {grid[row][i], grid[i][column]}:
            return False
    for i in range(3):
        for j in range(3):
            if grid[(row - row % 3) + i][(column - column % 3) + j] == n:
                return False
    return True


def find_empty(grid):
    for i in range(9):
        for j in range(9):
            if grid[i][j] == 0:
                return i, j
    return None


def sudoku(grid):
    if location := find_empty(grid):
        row, column = location
    else:
        return grid
    for digit in range(1, 10):
        if is_safe(grid, row, column, digit):
            grid[row][column] = digit
            if sudoku(grid) is not None:
                return grid
            grid[row][column] = 0
    return None


def parentheses(n):
    found = []

    def extend(text="", opened=0, closed=0):
        if len(text) == 2 * n:
            found.append(text)
            return
        if opened < n:
            extend(text + "(", opened + 1, closed)
        if closed < opened:
            extend(text + ")", opened, closed + 1)

    extend()
    return found


def maze(grid):
    n = len(grid)
    solution = [[0] * n for _ in range(n)]

    def run(i, j):
        if i == j == n - 1 and grid[i][j] == 0:
            solution[i][j] = 1
            return True
        if 0 <= i < n and 0 <= j < n and not solution[i][j] and not grid[i][j]:
            solution[i][j] = 1
            if run(i + 1, j) or run(i, j + 1) or run(i - 1, j) or run(i, j - 1):
                return True
            solution[i][j] = 0
        return False

    return solution if run(0, 0) else None


def word_search(board, word):
    def look(i, j, k):
        if k == len(word):
            return True
        if not (0 <= i < len(board) and 0 <= j < len(board[0])) or board[i][j] != word[k]:
            return False
        kept, board[i][j] = board[i][j], "#"
        found = any(look(i + di, j + dj, k + 1) for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)))
        board[i][j] = kept
        return found

    return any(look(i, j, 0) for i in range(len(board)) for j in range(len(board[0])))


def sums_to(candidates, target):
    result = []

    def search(start, path, left):
        if left == 0:
            result.append(tuple(path))
        for i in range(start, len(candidates)):
            if candidates[i] > left:
                break
            search(i, path + [candidates[i]], left - candidates[i])

    candidates = sorted(candidates)
    search(0, [], target)
    return result


SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def _sudoku(rng):
    """With a few cells empty."""
    cells = [0 if rng.random() < 0.15 else int(ch) for ch in SOLVED]
    return [cells[i : i + 9] for i in range(0, 81, 9)]


CALLS = {
    permutations: lambda rng: ([rng.randint(0, 3) for _ in range(rng.randint(0, 4))],),
    subsets: lambda rng: (list("abcd")[: rng.randint(0, 4)],),
    combinations: lambda rng: (rng.randint(1, 5), rng.randint(1, 3)),
    queens: lambda rng: (rng.randint(1, 6),),
    is_safe: lambda rng: (_sudoku(rng), 0, 2, rng.randint(1, 9)),
    find_empty: lambda rng: (_sudoku(rng),),
    sudoku: lambda rng: (_sudoku(rng),),
    parentheses: lambda rng: (rng.randint(0, 5),),
    maze: lambda rng: ([[int(rng.random() < 0.3) for _ in range(4)] for _ in range(4)],),
    word_search: lambda rng: ([rng.choices("abc", k=4) for _ in range(3)], "".join(rng.choices("abc", k=3))),
    sums_to: lambda rng: (rng.sample((2, 3, 5, 7), 3), rng.randint(0, 12)),
}
