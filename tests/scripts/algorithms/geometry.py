"""Points, polygons and distances."""

import math
from collections import namedtuple

Point = namedtuple("Point", "x y")


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def convex_hull(points):
    points = sorted(set(points))
    if len(points) <= 1:
        return points
    lower = []
    for p in points:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in reversed(points):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    return lower[:-1] + upper[:-1]


def area(polygon):
    total = 0.0
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1]):
        total += x1 * y2 - x2 * y1
    return abs(total) / 2


def inside(point, polygon):
    x, y = point
    found = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        xi, yi = polygon[i]
        xj, yj = polygon[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            found = not found
        j = i
    return found


def closest_pair(points):
    best = math.inf
    for i, (x1, y1) in enumerate(points):
        for x2, y2 in points[i + 1 :]:
            best = min(best, math.hypot(x1 - x2, y1 - y2))
    return best


def haversine(lat1, lon1, lat2, lon2, radius=6371.0):
    p1, p2 = math.radians(lat1), math.radians(lat2)
    dp, dl = p2 - p1, math.radians(lon2 - lon1)
    h = math.sin(dp / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(dl / 2) ** 2
    return 2 * radius * math.asin(math.sqrt(h))


def bresenham(x0, y0, x1, y1):
    dx, dy = abs(x1 - x0), -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    error, cells = dx + dy, []
    while True:
        cells.append((x0, y0))
        if (x0, y0) == (x1, y1):
            return cells
        twice = 2 * error
        if twice >= dy:
            error += dy
            x0 += sx
        if twice <= dx:
            error += dx
            y0 += sy


def centroid(points):
    xs, ys = zip(*points)
    return Point(sum(xs) / len(xs), sum(ys) / len(ys))


def intersect(a, b, c, d):
    def side(p, q, r):
        value = cross(p, q, r)
        return (value > 0) - (value < 0)

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def clipped(polygon, low, high):
    """Sutherland and Hodgman's, to a strip of x."""
    for limit, keeps in ((low, lambda x: x >= low), (high, lambda x: x <= high)):
        out = []
        for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1]):
            if keeps(x1):
                out.append((x1, y1))
            if keeps(x1) != keeps(x2):
                t = (limit - x1) / (x2 - x1)
                out.append((limit, y1 + t * (y2 - y1)))
        polygon = out
    return polygon


def _points(rng, least=0):
    return [(rng.randint(-5, 5), rng.randint(-5, 5)) for _ in range(rng.randint(least, 8))]


CALLS = {
    cross: lambda rng: tuple(_points(rng, 8)[:3]),
    convex_hull: lambda rng: (_points(rng),),
    area: lambda rng: (_points(rng),),
    inside: lambda rng: ((rng.random(), rng.random()), _points(rng)),
    closest_pair: lambda rng: (_points(rng),),
    haversine: lambda rng: tuple(rng.uniform(-80, 80) for _ in range(4)),
    bresenham: lambda rng: tuple(rng.randint(-5, 5) for _ in range(4)),
    centroid: lambda rng: (_points(rng),),
    intersect: lambda rng: tuple(_points(rng, 8)[:4]),
    clipped: lambda rng: (_points(rng), -2, 2),
}
