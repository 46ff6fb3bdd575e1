"""Padding tuned for a workload: which AnyPad its text is best kept in, how sure that is, and why.

    workload.py, data/            what is run, and a reproducible sample of what it is fed;
        |                         traces/ make both of a program that was traced
        v
    tuning.py --> search/         spends the budget, in stages (clock.py); Ctrl-C ends it
        |
        |   candidates            space.py, refine.py         one pad for all, then pads by function and by variable
        |   counts                counting.py                 of one pass: allocations, bytes and peak, by candidate
        |   a ranking             ranking.py, model.py        what is not worth measuring
        |   runs                  runs/ --> worker/           fresh processes, in which the candidates take turns
        |   conclusions           tally.py, statistics.py     ratios to the default, intervals over processes
        v
    Findings                      search/conclude.py          trials and the winner, by kind of machine
        |
        v
    Report                        reports/                    a table, a page, a picture, two sentences
        |
        v
    profile                       jitffi/profiles               what the compiler asks, function by function

Words: *candidate*, pads to try (a `Pads`); *trial*, what was found out about one; *pass*, the workload run once over
the sample; *run*, one process with many rounds; *score*, the time of a pass relative to the default's in the same run.

records.py has what the stages hand each other. Nothing here is loaded before something is tuned.

What else there is, by the file that leads to it:

    autotune.py        --> tuning.py
    workload.py        --> parameters.py (item, pad)
    data/corpus.py     --> openings.py (kinds of files), lines.py, columns.py (Parquet and Arrow), reading.py (faults to
                           notes), reservoir.py (the sample)
    traces/trace.py    --> shapes.py (recorded values)
    traces/replay.py   --> playing.py, which is what the generated workload calls
    search/search.py   --> survivors.py (which uniform pads are still measured), order.py (which of them first)
    runs/measure.py    --> job.py (how a process gets the workload), process.py (a worker, from outside), seen.py (what
                           it has said, as records)
    runs/remote.py     --> tasks.py (which are under way), errand.py (one, at the other end)
    worker/worker.py   --> rounds.py (what is timed), counts.py (what is counted: allocator.py, calibrate.py), both by
                           passes.py; ahead.py (compiles meanwhile), stopwatch.py, neighbours.py (others in the
                           processor's core)
    reports/report.py  --> wording.py, table.py, explain.py, plot.py; page.py has page_tables.py, charts/, svg.py,
                           page.css and page.js
"""
