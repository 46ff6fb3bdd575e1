"""Padding tuned for a workload: which AnyPad its text is best kept in, how sure that is, and why.

    workload.py, data/            what is run, and a reproducible sample of what it is fed;
        |                         traces/ make both of a program that was traced
        v
    tuning.py --> search/         spends the budget, in stages (clock.py); Ctrl-C ends it
        |
        |   evidence.py           what was observed, in one place: counts of a pass, and runs that are timed
        |   run/ --> worker/      fresh processes, in which the candidates take turns
        |   results.py            ratios to the default, intervals over processes
        |   refine.py             after one pad for all, pads by function and by variable
        v
    Report                        search/conclude.py          trials and the winner
        |                         reports/                    a table, a page, JSON, two sentences
        |
        v
    profile                       jitffi/profiles             what the compiler asks, function by function

Words: *candidate*, pads to try (a `Pads`); *trial*, what was found out about one; *pass*, the workload run once over
the sample; *run*, one process with many rounds; *score*, the time of a pass relative to the default's in the same run.

records.py has what the stages hand each other. Nothing here is loaded before something is tuned.
"""
