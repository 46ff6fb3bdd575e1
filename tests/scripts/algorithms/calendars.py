"""Dates and times by arithmetic."""

DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_days(year, month):
    if month not in range(1, 13):
        raise ValueError(f"month must be in 1..12, got {month}")
    return 29 if month == 2 and is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def zeller(text):
    month, day, year = (int(part) for part in text.split("-"))
    if not 0 < month < 13 or not 0 < day < 32:
        raise ValueError("Date must be between 1 - 31")
    if month <= 2:
        year -= 1
        month += 12
    c, k = divmod(year, 100)
    return DAYS[(int(2.6 * ((month - 2) % 12 or 12) - 5.39) + k // 4 + c // 4 + day + k - 2 * c) % 7]


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    r = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * r) // 451
    return divmod(h + r - 7 * m + 114, 31)


def day_number(year, month, day):
    return (
        sum(366 if is_leap(y) else 365 for y in range(1, year))
        + sum(month_days(year, m) for m in range(1, month))
        + day
    )


def days_between(a, b):
    return abs(day_number(*a) - day_number(*b))


def calendar(year, month):
    first = day_number(year, month, 1) % 7
    cells = ["  "] * first + [f"{day:2}" for day in range(1, month_days(year, month) + 1)]
    lines = [" ".join(cells[i : i + 7]).rstrip() for i in range(0, len(cells), 7)]
    return "\n".join(["Su Mo Tu We Th Fr Sa", *lines])


def duration(seconds):
    if seconds == 0:
        return "now"
    parts = []
    for name, size in (("year", 31536000), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 else ''}")
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def clock_angle(text):
    hours, minutes = map(int, text.split(":"))
    if not (0 <= hours < 24 and 0 <= minutes < 60):
        raise ValueError(text)
    angle = abs(30 * (hours % 12) - 5.5 * minutes)
    return min(angle, 360 - angle)


def in_twelve_hours(text):
    hour, minute = (int(x) for x in text.split(":"))
    return "%d:%02d %s" % (hour % 12 or 12, minute, "AM" if hour < 12 else "PM")


def meeting_rooms(meetings):
    events = sorted([(start, 1) for start, _ in meetings] + [(end, -1) for _, end in meetings])
    most = now = 0
    for _, change in events:
        now += change
        most = max(most, now)
    return most


def merged(intervals):
    result = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def _date(rng):
    return rng.randint(1900, 2100), rng.randint(1, 12), rng.randint(1, 28)


def _spans(rng):
    return ([(a, a + rng.randint(1, 5)) for a in rng.choices(range(20), k=rng.randint(0, 6))],)


CALLS = {
    is_leap: lambda rng: (rng.choice((1900, 2000, 2023, 2024)),),
    month_days: lambda rng: (2024, rng.randint(0, 13)),
    zeller: lambda rng: (f"{rng.randint(1, 13)}-{rng.randint(1, 28)}-{rng.randint(1900, 2100)}",),
    easter: lambda rng: (rng.randint(1900, 2100),),
    day_number: _date,
    days_between: lambda rng: (_date(rng), _date(rng)),
    calendar: lambda rng: _date(rng)[:2],
    duration: lambda rng: (rng.choice((0, 1, 62, 3662, rng.randint(0, 10**8))),),
    clock_angle: lambda rng: (rng.choice(("3:15", "12:00", "24:00", "9:05")),),
    in_twelve_hours: lambda rng: (f"{rng.randint(0, 23)}:{rng.randint(0, 59)}",),
    meeting_rooms: _spans,
    merged: _spans,
}
