"""Patterns of characters, colours and pictures as text."""


def pyramid(height, character="*"):
    if height < 1:
        return ""
    return "\n".join(" " * (height - i) + character * (2 * i - 1) for i in range(1, height + 1))


def diamond(n):
    rows = []
    for i in [*range(n), *range(n - 2, -1, -1)]:
        rows.append(" " * (n - i - 1) + "* " * (i + 1))
    return "\n".join(row.rstrip() for row in rows)


def floyd_triangle(rows):
    number, lines = 1, []
    for i in range(1, rows + 1):
        line = ""
        for _ in range(i):
            line += f"{number:<4d}"
            number += 1
        lines.append(line.rstrip())
    return lines


def mandelbrot(width, height, limit=20):
    picture = []
    for row in range(height):
        line = []
        for column in range(width):
            cr, ci = 3.0 * column / width - 2.0, 2.0 * row / height - 1.0
            x = y = 0.0
            for count in range(limit):
                x, y = x * x - y * y + cr, 2 * x * y + ci
                if x * x + y * y > 4:
                    break
            line.append(" .:-=+*#%@"[count * 10 // limit])
        picture.append("".join(line))
    return picture


def sierpinski(n):
    lines = ["*"]
    for i in range(n):
        space = " " * 2**i
        lines = [space + line + space for line in lines] + [line + " " + line for line in lines]
    return lines


def bar_chart(values, height=5):
    most = max(values.values(), default=0) or 1
    rows = []
    for level in range(height, 0, -1):
        rows.append(" ".join("#" if value / most * height >= level else " " for value in values.values()))
    rows.append(" ".join(name[:1] for name in values))
    return rows


def checkerboard(size, black="#", white="."):
    return [[black, white][(i + j) % 2] * 2 for i in range(size) for j in range(size)]


def grey(pixels):
    return [[round(0.299 * r + 0.587 * g + 0.114 * b) for r, g, b in row] for row in pixels]


def blurred(image):
    height, width = len(image), len(image[0])
    out = [[0] * width for _ in range(height)]
    for y in range(height):
        for x in range(width):
            around = [
                image[b][a]
                for b in range(y - 1, y + 2)
                for a in range(x - 1, x + 2)
                if 0 <= b < height and 0 <= a < width
            ]
            out[y][x] = sum(around) // len(around)
    return out


def hue(r, g, b):
    r, g, b = (value / 255 for value in (r, g, b))
    high, low = max(r, g, b), min(r, g, b)
    if high == low:
        return 0
    d = high - low
    if high == r:
        h = (g - b) / d % 6
    elif high == g:
        h = (b - r) / d + 2
    else:
        h = (r - g) / d + 4
    return round(h * 60)


def zigzag(text, rows):
    if rows < 2:
        return text
    lines = [""] * rows
    row, step = 0, 1
    for ch in text:
        lines[row] += ch
        if row == 0:
            step = 1
        elif row == rows - 1:
            step = -1
        row += step
    return "|".join(lines)


CALLS = {
    pyramid: lambda rng: (rng.randint(0, 5), rng.choice("*#é")),
    diamond: lambda rng: (rng.randint(0, 5),),
    floyd_triangle: lambda rng: (rng.randint(0, 6),),
    mandelbrot: lambda rng: (rng.randint(5, 20), 5),
    sierpinski: lambda rng: (rng.randint(0, 3),),
    bar_chart: lambda rng: ({name: rng.randint(0, 9) for name in "abc"[: rng.randint(0, 3)]},),
    checkerboard: lambda rng: (rng.randint(0, 4),),
    grey: lambda rng: ([[tuple(rng.choices(range(256), k=3)) for _ in range(3)] for _ in range(2)],),
    blurred: lambda rng: ([rng.choices(range(256), k=4) for _ in range(3)],),
    hue: lambda rng: tuple(rng.choices(range(256), k=3)),
    zigzag: lambda rng: ("PAYPALISHIRING", rng.randint(1, 5)),
}
