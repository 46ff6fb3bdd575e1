"""Padding tuned for a workload: which AnyPad its text is best kept in, how sure that is, and why.

    workload, corpus                 workload.py, corpus.py      what is run, and a reproducible sample of what it is fed
        |
        v
    space      candidates            space.py                    one pad for all, one a function, one a variable, pools
        |
        v
    counts     exact, not timed      counting.py                 allocations, bytes and peak of one pass, by candidate
        |
        v
    model      a ranking             model.py (machine, calibrate)   what is not worth measuring
        |
        v
    runs       fresh processes       measure.py --> worker.py    rounds in which the candidates take turns
        |                            remote.py                   the same on other machines
        v
    trials     ratios to the default statistics.py               intervals over processes; search.py decides and stops
        |
        v
    Report     table, JSON, page     report.py, page.py, plot.py, explain.py
        |
        v
    profile    a JSON file           profile.py --> jitffi/pads.py   what the compiler asks, function by function

Words: *candidate*, pads to try (a `Pads`); *trial*, what was found out about one; *pass*, the workload run once over the
sample; *run*, one process with many rounds; *score*, the time of a pass relative to the default's in the same run.

records.py has what the stages hand each other. Nothing here is loaded before something is tuned.
"""
