"""An adapter as a file: a C program that takes packed arguments, built from an object and a header, without Python."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

MAIN = r"""
#include "shout.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What shout.h asks for: upper case, and so many exclamation marks. */
int32_t shout(const char* text, size_t text_size, int64_t marks, jf_value* out) {
  char loud[64];
  if (text_size + (size_t)marks > sizeof loud) {
    jf_error_set("ValueError", "too long to be shouted");
    return -1;
  }
  for (size_t i = 0; i < text_size; i++) loud[i] = (char)toupper((unsigned char)text[i]);
  memset(loud + text_size, '!', (size_t)marks);
  return jf_out_str(out, loud, text_size + (size_t)marks);
}

/* Calls the packed function as any program would that knows nothing of its types. */
static void call(jf_packed_call function, int32_t count, const jf_view* args) {
  jf_value out;
  jf_out_init(&out, 8);
  if (function(NULL, count, args, &out) == 0) {
    /* Short text stands in the slot, longer text in an object. */
    puts(out.type_code == JF_SMALL_STR ? out.v_bytes : ((const jf_str*)out.v_object)->data);
    jf_any_release(&out);
    return;
  }
  jf_error* error = (jf_error*)jf_error_take();
  printf("%s: %s\n", error->kind->data, error->message->data);
  jf_object_release((jf_object*)error);
}

int main(void) {
  const jf_view hello = {JF_RAW_STR, 0, {.v_raw_str = "hello"}};
  const jf_view three = {JF_INT, 0, {.v_int64 = 3}}, hundred = {JF_INT, 0, {.v_int64 = 100}};
  printf("%s\n", __jfsig_shout);
  call(__jf_shout, 2, (const jf_view[]){hello, three});
  call(__jf_shout, 2, (const jf_view[]){hello, hundred});
  call(__jf_shout, 2, (const jf_view[]){three, hello});
  return 0;
}
"""


def flags(what: str) -> list[str]:
    return shlex.split(subprocess.check_output([sys.executable, "-m", "jitffi", "config", what], text=True))


with tempfile.TemporaryDirectory() as folder:
    where = Path(folder)
    made = jitffi.emit("shout: (text: str, marks: i64) -> str", where / "shout.o", header=where / "shout.h")
    (where / "main.c").write_text(MAIN)
    words = ["cc", "-Wall", "-Wextra", "-Werror", "main.c", made.name, *flags("--includes"), *flags("--libs")]
    subprocess.run([*words, "-o", "main"], check=True, cwd=where)
    subprocess.run([where / "main"], check=True)
