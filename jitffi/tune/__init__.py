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

records.py has what the stages hand each other. Nothing here is loaded before something is tuned; but definition.py is
in programs that are traced, machine.py and profile.py in those that use a profile.

What else there is, by the file above that leads to it:

    autotune.py      --> tuning.py
    workload.py      --> parameters.py (item, pad), job.py (how a process gets it)
    corpus.py        --> openings.py (kinds of files), lines.py, tables.py (Parquet and Arrow), reading.py (faults to
                         notes), reservoir.py (the sample)
    trace.py         --> shapes.py (recorded values); definition.py writes functions and places while it is recorded
    replay.py        --> playing.py, which is what the generated workload calls
    search.py        --> survivors.py (which uniform pads are still measured), order.py (which of them first)
    measure.py       --> process.py (a worker, from outside), seen.py (what it has said, as records)
    worker.py        --> rounds.py (what is timed), counts.py (what is counted), both by passes.py; ahead.py
                         (compiles meanwhile), stopwatch.py, switching.py (scripts that change pads)
    remote.py        --> tasks.py (which are under way), errand.py (one, at the other end)
    report.py        --> wording.py; page.py has page_tables.py, charts/, svg.py, page.css and page.js
    profile.py       --> saving.py (into a file that others write, too)
"""
