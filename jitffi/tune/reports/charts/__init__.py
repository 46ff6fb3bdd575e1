"""The charts of a report's page: time and memory by candidate, both against each other, lengths of text.

Each is drawn twice, for wide and for narrow places; the style sheet shows one. Text in charts is ours: what users have
named is in titles, which browsers show on hovering and read aloud, and in the tables below.
"""

from jitffi.tune.reports.charts.frame import both
from jitffi.tune.reports.charts.front import front, points
from jitffi.tune.reports.charts.lengths import lengths
from jitffi.tune.reports.charts.memory import memory
from jitffi.tune.reports.charts.times import times

__all__ = ["both", "front", "lengths", "memory", "points", "times"]
