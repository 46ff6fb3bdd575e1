"""A script whose padding can be tuned: words as SentencePiece marks them, which makes each of them UCS4.

python examples/25_tune_a_script.py words.txt          writes a corpus: what `help()` says of the language
jitffi autotune examples/25_tune_a_script.py --corpus words.txt --explain --save profile.json
JITFFI_PROFILE=profile.json python program.py          any program with this script, which is compiled as was best
"""

import sys
from pathlib import Path
from pydoc_data.topics import topics

import jitffi


@jitffi.script
def pieces(text):
    """The words of a text, each with the sign for the space before it."""
    found = []
    for word in text.split():
        found.append("\u2581" + word)
    return found


def workload(line):
    """What the tuner times: it is called with each line of the corpus."""
    pieces(line)


def corpus():
    """A line for each topic."""
    return [" ".join(text.split()) for _, text in sorted(topics.items())]


def share(words, pad):
    """Of words, the part that fits into a slot of this pad: 2 + 2n characters of UCS4."""
    return sum(len(word) <= 2 + 2 * pad for word in words) / len(words)


if __name__ == "__main__":
    lines = corpus()
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [word for line in lines for word in pieces(line)]
    print(" ".join(words[:6]))
    print(f"{len(lines)} lines, {len(words)} words; the others are objects on the heap:")
    for pad in (1, 4, 7, 15):
        # The same words, whatever the pad: it says where they are, not what they are.
        variant = jitffi.script(pad=pad)(pieces.__wrapped__)
        assert all(variant(line) == pieces(line) for line in lines[:5])
        print(f"pad {pad:2}: {share(words, pad):4.0%} of them fit {16 + 8 * pad:3} bytes")
    print("which is fastest, `jitffi autotune` finds out")
