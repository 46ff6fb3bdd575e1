"""Lines of a log into fields: what happened to whom."""

import jitffi


@jitffi.script
def events(text):
    found = []
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) > 3:
            what = fields[2]
            whom = fields[3]
            found.append(whom.partition(":")[0])
            found.append(what + " " + fields[-1])
    return found


def workload(text):
    events(text)
