"""Matrices as lists of lists."""


def multiply(a, b):
    if len(a[0]) != len(b):
        raise ValueError(f"cannot multiply {len(a)}x{len(a[0])} by {len(b)}x{len(b[0])}")
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transpose(matrix):
    return [list(column) for column in zip(*matrix)]


def identity(n):
    return [[int(row == column) for column in range(n)] for row in range(n)]


def power(matrix, exponent):
    result = identity(len(matrix))
    while exponent > 0:
        if exponent % 2 == 1:
            result = multiply(result, matrix)
        matrix = multiply(matrix, matrix)
        exponent //= 2
    return result


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    total = 0
    for column, value in enumerate(matrix[0]):
        minor = [row[:column] + row[column + 1 :] for row in matrix[1:]]
        total += (-1) ** column * value * determinant(minor)
    return total


def solve(matrix, vector):
    """Gauss elimination with partial pivoting."""
    n = len(matrix)
    rows = [row[:] + [value] for row, value in zip(matrix, vector)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        if rows[pivot][i] == 0:
            raise ZeroDivisionError("matrix is singular")
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def spiral(matrix):
    result = []
    while matrix:
        result += matrix.pop(0)
        matrix = [list(row) for row in zip(*matrix)][::-1]
    return result


def rotate_in_place(matrix):
    n = len(matrix)
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i][j], matrix[j][i] = matrix[j][i], matrix[i][j]
    for row in matrix:
        row.reverse()


def pascal(rows):
    triangle = []
    for i in range(rows):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = triangle[i - 1][j - 1] + triangle[i - 1][j]
        triangle.append(row)
    return triangle


def fibonacci_by_matrix(n):
    return power([[1, 1], [1, 0]], n)[0][1]


def search_sorted(matrix, key):
    row, column = 0, len(matrix[0]) - 1
    while row < len(matrix) and column >= 0:
        if matrix[row][column] == key:
            return row, column
        if matrix[row][column] > key:
            column -= 1
        else:
            row += 1
    return None


def prefix_sums(matrix):
    sums = [[0] * (len(matrix[0]) + 1) for _ in range(len(matrix) + 1)]
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            sums[i + 1][j + 1] = value + sums[i][j + 1] + sums[i + 1][j] - sums[i][j]
    return sums


def magic_square(n):
    square = [[0] * n for _ in range(n)]
    i, j = 0, n // 2
    for number in range(1, n * n + 1):
        square[i][j] = number
        a, b = (i - 1) % n, (j + 1) % n
        if square[a][b]:
            a, b = (i + 1) % n, j
        i, j = a, b
    return square


def _matrix(rng, n=3, m=3):
    return [[rng.randint(-5, 5) for _ in range(m)] for _ in range(n)]


CALLS = {
    multiply: lambda rng: (_matrix(rng, 2, 3), _matrix(rng, rng.choice((3, 3, 2)), 2)),
    transpose: lambda rng: (_matrix(rng, 2, 4),),
    identity: lambda rng: (rng.randint(0, 4),),
    power: lambda rng: (_matrix(rng), rng.randint(0, 6)),
    determinant: lambda rng: (_matrix(rng, 4, 4),),
    solve: lambda rng: (_matrix(rng), [1, 2, 3]),
    spiral: lambda rng: (_matrix(rng, rng.randint(1, 4), 3),),
    rotate_in_place: lambda rng: (_matrix(rng),),
    pascal: lambda rng: (rng.randint(0, 9),),
    fibonacci_by_matrix: lambda rng: (rng.randint(1, 80),),
    search_sorted: lambda rng: ([[1, 4, 7], [2, 5, 8], [3, 6, 9]], rng.randint(0, 10)),
    prefix_sums: lambda rng: (_matrix(rng),),
    magic_square: lambda rng: (rng.choice((1, 3, 5)),),
}
