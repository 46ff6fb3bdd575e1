"""Functions on other machines, called like those here: sessions with the workers of a Dask cluster.

    Session --Request--> one worker's process: worker.answer --> Answer: a value in its binary form, or the error
       |-- uploads    files, and scripts that are compiled here for the worker's machine
       |-- functions  what is called: arguments and results go as bytes (`jitffi.to_bytes`)
       `-- handles    what stays there: arrays and functions, by number

The worker needs the package and neither LLVM nor a compiler: functions are called by the packed convention as they are.
"""

from jitffi.remote.session import Session as Session
from jitffi.remote.session import connect as connect
