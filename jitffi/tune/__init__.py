"""Padding tuned for a workload: which AnyPad its text is best kept in, how sure that is, and why.

    workload, corpus              workload.py, corpus.py      what is run, and a reproducible sample of what it is fed
        |                         trace.py --> replay.py      or both of a program that was traced
        v
    search                        tuning.py --> search.py     spends the budget, in stages (clock.py); Ctrl-C ends it
        |
        |   candidates            space.py, refine.py         one pad for all, then pads by function and by variable
        |   counts                counting.py                 of one pass: allocations, bytes and peak, by candidate
        |   a ranking             model.py, calibrate.py      what is not worth measuring
        |   runs                  measure.py --> worker.py    fresh processes, in which the candidates take turns
        |                         remote.py                   the same on other machines
        |   conclusions           tally.py, statistics.py     ratios to the default, intervals over processes
        v
    Findings                      conclude.py                 trials and the winner, by kind of machine
        |
        v
    Report                        report.py                   table.py, page.py, plot.py, explain.py
        |
        v
    profile                       profile.py --> jitffi/pads.py      what the compiler asks, function by function

Words: *candidate*, pads to try (a `Pads`); *trial*, what was found out about one; *pass*, the workload run once over
the sample; *run*, one process with many rounds; *score*, the time of a pass relative to the default's in the same run.

records.py has what the stages hand each other. Nothing here is loaded before something is tuned.
"""
