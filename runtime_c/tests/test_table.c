/* The hash table, against an array that says what must be in it. */
#include "testhelper.h"

enum { KEYS = 500 };
static char keys[KEYS][16];

static void agree(const jf_table* table, const char* present) {
  for (int i = 0; i < KEYS; i++) {
    const jf_entry* entry = jf_table_find(table, keys[i]);
    CHECK((entry != NULL) == present[i]);
    if (entry) CHECK(entry->value == keys[i]);
  }
}

static void test_random_puts_and_erasures(void) {
  jf_table table = {0};
  char present[KEYS] = {0};
  uint32_t random = 12345;
  for (int i = 0; i < KEYS; i++) snprintf(keys[i], sizeof keys[i], "key %d", i);
  CHECK(jf_table_find(&table, "key 1") == NULL);
  for (int step = 0; step < 20000; step++) {
    random = random * 1664525 + 1013904223;
    int i = (int)(random >> 16) % KEYS;
    if (present[i]) {
      jf_table_erase(&table, jf_table_find(&table, keys[i]));
    } else {
      CHECK(jf_table_put(&table, keys[i], keys[i]) == 0);
    }
    present[i] = !present[i];
    if (step % 500 == 0) agree(&table, present);
  }
  agree(&table, present);
  jf_free(table.entries);
}

static int32_t put_many(void) {
  jf_table table = {0};
  int32_t status = 0;
  size_t put = 0;
  for (int i = 0; i < 40 && status == 0; i++) {
    status = jf_table_put(&table, keys[i], keys[i]);
    if (status == 0) put++;
  }
  CHECK(table.count == put);
  for (size_t i = 0; i < put; i++) CHECK(jf_table_find(&table, keys[i]) != NULL);
  jf_free(table.entries);
  if (status != 0) jf_error_no_memory();
  return status;
}

static void test_without_memory_it_stays_as_it_was(void) { SURVIVES(put_many); }

int main(void) {
  RUN(test_random_puts_and_erasures);
  RUN(test_without_memory_it_stays_as_it_was);
  return finish();
}
