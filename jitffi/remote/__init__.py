"""Functions on other machines, called like those here: sessions with the workers of a Dask cluster.

    Session --Request--> one worker's process: worker.answer --> Answer: a value in its binary form, or the error
       |-- uploads    files, and scripts that are compiled here for the worker's machine
       |-- functions  what is called: arguments and results go as bytes (`jitffi.to_bytes`)
       `-- handles    what stays there: arrays and functions, by number

The worker needs the package and neither LLVM nor a compiler: functions are called by the packed convention as they are.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.remote.session import Session


def connect(address: Any, *, security: Any = None, timeout: float = 30.0) -> Session:
    """Return a session with the workers of a Dask cluster.

    *address*: of its scheduler, as "tcp://10.0.0.1:8786", or a distributed.Client. *security*: Dask's own, for TLS.
    *timeout*: seconds in which a scheduler and a worker must answer. The session's `timeout` is that of calls.

    ImportError where distributed is not installed, ConnectionError where no scheduler answers or no worker is there,
    RuntimeError for a worker with another version of the package.

    >>> import distributed, jitffi
    >>> with (
    ...     distributed.LocalCluster(1, processes=False, dashboard_address=":0") as cluster,
    ...     jitffi.connect(cluster.scheduler_address) as session,
    ... ):
    ...     len(session.targets())
    1
    """
    from jitffi.remote.session import connected  # slow to import, and of no use to those who do not connect

    return connected(address, security, timeout)
