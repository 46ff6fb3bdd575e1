/* CPython's list.sort, comparison by comparison, so that the result is the same where comparisons are in no order, as those
 * of NaN, or can be seen: runs that are there, lengthened by binary insertion, and merged by galloping in the order of
 * powersort. Objects/listsort.txt of CPython tells why; what differs by version is which runs are found.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "list_sort.h"

enum { SHORT = 64, MIN_GALLOP = 7, MOST_RUNS = 8 * sizeof(size_t) + 1 };

typedef struct {
  jf_record* first;
  size_t count;
  int32_t power; /* of the border to the next run: the higher ones are merged first */
} run;

typedef struct {
  jf_record_less less;
  int32_t failed;
  jf_record *records, *scratch;
  size_t count;
  size_t min_gallop; /* how often one side must win before the other is searched through in bounds */
  run runs[MOST_RUNS];
  size_t num_runs;
  size_t least, rest; /* of the length of a run: whole numbers whose sum is the count, of 2**shift parts */
  int32_t shift;
} sorting;

static int32_t like_python = 315;

/* Which CPython's order of comparisons: 311 for 3.11, and so on. */
void jf_set_sort_version(int32_t version) { __atomic_store_n(&like_python, version, __ATOMIC_RELAXED); }

/* Nothing is asked any more once a comparison has failed: the rest goes on as though nothing were less than anything. */
static int32_t is_less(sorting* s, const jf_record* a, const jf_record* b) {
  if (s->failed) return 0;
  const int32_t result = s->less(a, b);
  if (result < 0) s->failed = 1;
  return result > 0;
}

/* -- runs ----------------------------------------------------------------------------------------------------------- */

static void reverse(jf_record* first, size_t count) {
  for (size_t i = 0, j = count; i + 1 < j; i++) {
    const jf_record moving = first[i];
    first[i] = first[--j];
    first[j] = moving;
  }
}

/* Up to CPython 3.12: a run never falls, or falls with each record. */
static size_t plain_run(sorting* s, jf_record* first, size_t count) {
  size_t length = 1;
  int32_t falling = 0;
  for (; length < count; length++) {
    const int32_t less = is_less(s, &first[length], &first[length - 1]);
    if (length == 1) falling = less;
    if (less != falling) break;
  }
  if (falling) reverse(first, length);
  return length;
}

/* Of a falling run's last `equal` + 1 records, which are alike: they keep their order when all is turned round. */
static void keep_order(jf_record* first, size_t length, size_t* equal) {
  if (*equal) reverse(first + length - *equal - 1, *equal + 1);
  *equal = 0;
}

static size_t rising(sorting* s, const jf_record* first, size_t length, size_t count) {
  while (length < count && !is_less(s, &first[length], &first[length - 1])) length++;
  return length;
}

/* Since CPython 3.13: a falling run may have equal records in it, and go on as a rising one. */
static size_t equal_run(sorting* s, jf_record* first, size_t count) {
  size_t length = rising(s, first, 1, count), equal = 0;
  if (length == count) return length;
  if (length > 1) {
    if (is_less(s, &first[0], &first[length - 1])) return length;
    reverse(first, length);
  }
  for (length++; length < count; length++) {
    if (is_less(s, &first[length], &first[length - 1])) {
      keep_order(first, length, &equal);
    } else if (is_less(s, &first[length - 1], &first[length])) {
      break;
    } else {
      equal++;
    }
  }
  keep_order(first, length, &equal);
  reverse(first, length);
  return rising(s, first, length, count);
}

/* Inserts the records from `sorted` on among those before them. */
static void insert(sorting* s, jf_record* first, size_t sorted, size_t count) {
  for (; sorted < count; sorted++) {
    const jf_record moving = first[sorted];
    size_t low = 0, high = sorted;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (is_less(s, &moving, &first[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    memmove(first + low + 1, first + low, (sorted - low) * sizeof moving);
    first[low] = moving;
  }
}

/* How long the next run should be at least. */
static void begin_lengths(sorting* s) {
  size_t least = s->count;
  for (s->shift = 0, s->rest = 0; least >= SHORT; least >>= 1) {
    s->rest |= least & 1;
    s->shift++;
  }
  s->least = least + s->rest;
  s->rest = 0;
}

static size_t next_length(sorting* s, int32_t version) {
  if (version < 315) return s->least;
  s->rest += s->count;
  const size_t length = s->rest >> s->shift;
  s->rest &= ((size_t)1 << s->shift) - 1;
  return length;
}

/* -- merging -------------------------------------------------------------------------------------------------------- */

/* Whether a key's place is behind a record: of equal ones, if it came behind them. */
static int32_t is_behind(sorting* s, const jf_record* key, const jf_record* record, int32_t came_behind) {
  return came_behind ? !is_less(s, key, record) : is_less(s, record, key);
}

/* How many of the records are before a key's place; looked for from `hint` on, in steps that double. */
static size_t gallop(sorting* s, const jf_record* key, const jf_record* first, size_t count, size_t hint,
                     int32_t came_behind) {
  const int32_t forward = is_behind(s, key, &first[hint], came_behind);
  const size_t most = forward ? count - hint : hint + 1;
  size_t last = 0, step = 1;
  while (step < most &&
         is_behind(s, key, forward ? &first[hint + step] : &first[hint - step], came_behind) == forward) {
    last = step;
    step = 2 * step + 1;
  }
  if (step > most) step = most;
  size_t low = forward ? hint + last + 1 : hint + 1 - step, high = forward ? hint + step : hint - last;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_behind(s, key, &first[middle], came_behind)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Merges a and b, which is right behind it, from the left: a is no longer. Known: b's first is the first of all, a's last
 * the last. */
static void merge_left(sorting* s, jf_record* to, size_t na, const jf_record* b, size_t nb) {
  const jf_record* a = memcpy(s->scratch, to, na * sizeof *to);
  size_t of_a, of_b, most = s->min_gallop;
  *to++ = *b++;
  nb--;
  while (nb > 0 && na > 1) {
    of_a = of_b = 0;
    do {
      if (is_less(s, b, a)) {
        *to++ = *b++, nb--;
        of_b++, of_a = 0;
      } else {
        *to++ = *a++, na--;
        of_a++, of_b = 0;
      }
    } while (nb > 0 && na > 1 && of_a < most && of_b < most);
    if (nb == 0 || na <= 1) break;
    most++;
    do {
      if (most > 1) most--;
      s->min_gallop = most;
      of_a = gallop(s, b, a, na, 0, 1);
      memcpy(to, a, of_a * sizeof *to);
      to += of_a, a += of_a, na -= of_a;
      if (na <= 1) break;
      *to++ = *b++, nb--;
      if (nb == 0) break;
      of_b = gallop(s, a, b, nb, 0, 0);
      memmove(to, b, of_b * sizeof *to);
      to += of_b, b += of_b, nb -= of_b;
      if (nb == 0) break;
      *to++ = *a++, na--;
    } while (na > 1 && (of_a >= MIN_GALLOP || of_b >= MIN_GALLOP));
    if (nb == 0 || na <= 1) break;
    s->min_gallop = ++most;
  }
  memmove(to, b, (na ? nb : 0) * sizeof *to); /* before the last of a, if there is one */
  memcpy(na ? to + nb : to, a, na * sizeof *to);
}

/* The same from the right: b is no longer than a. */
static void merge_right(sorting* s, jf_record* first, size_t na, size_t nb) {
  const jf_record* scratch = memcpy(s->scratch, first + na, nb * sizeof *first);
  const jf_record *a = first + na - 1, *b = scratch + nb - 1; /* the last of each */
  jf_record* to = first + na + nb - 1;
  size_t of_a, of_b, most = s->min_gallop;
  *to-- = *a--;
  na--;
  while (na > 0 && nb > 1) {
    of_a = of_b = 0;
    do {
      if (is_less(s, b, a)) {
        *to-- = *a--, na--;
        of_a++, of_b = 0;
      } else {
        *to-- = *b--, nb--;
        of_b++, of_a = 0;
      }
    } while (na > 0 && nb > 1 && of_a < most && of_b < most);
    if (na == 0 || nb <= 1) break;
    most++;
    do {
      if (most > 1) most--;
      s->min_gallop = most;
      of_a = na - gallop(s, b, first, na, na - 1, 1);
      to -= of_a, a -= of_a, na -= of_a;
      memmove(to + 1, a + 1, of_a * sizeof *to);
      if (na == 0) break;
      *to-- = *b--, nb--;
      if (nb == 1) break;
      of_b = nb - gallop(s, a, scratch, nb, nb - 1, 0);
      to -= of_b, b -= of_b, nb -= of_b;
      memcpy(to + 1, b + 1, of_b * sizeof *to);
      if (nb <= 1) break;
      *to-- = *a--, na--;
    } while (na > 0 && (of_a >= MIN_GALLOP || of_b >= MIN_GALLOP));
    if (na == 0 || nb <= 1) break;
    s->min_gallop = ++most;
  }
  if (nb) memmove(first + nb, first, na * sizeof *to); /* behind the first of b, if there is one */
  memcpy(first, scratch, nb * sizeof *to);
}

/* Makes one run of the one with this number and the next. */
static void merge_at(sorting* s, size_t at) {
  const run left = s->runs[at], right = s->runs[at + 1];
  s->runs[at].count += right.count;
  s->num_runs--;
  if (at + 1 < s->num_runs) s->runs[at + 1] = s->runs[at + 2];
  const size_t skipped = gallop(s, right.first, left.first, left.count, 0, 1);
  jf_record* const first = left.first + skipped;
  const size_t na = left.count - skipped;
  if (na == 0) return;
  const size_t nb = gallop(s, first + na - 1, right.first, right.count, right.count - 1, 0);
  if (nb == 0) return;
  if (na <= nb) {
    merge_left(s, first, na, right.first, nb);
  } else {
    merge_right(s, first, na, nb);
  }
}

/* How often the count must be halved for a point between the middles of both runs. */
static int32_t power_of(const sorting* s, const run* left, size_t next) {
  const uint64_t count = s->count;
  uint64_t a = 2 * (uint64_t)(left->first - s->records) + left->count, b = a + left->count + next;
  for (int32_t power = 1;; power++) {
    if (a >= count) {
      a -= count;
      b -= count;
    } else if (b >= count) {
      return power;
    }
    a <<= 1;
    b <<= 1;
  }
}

static void add_run(sorting* s, jf_record* first, size_t count) {
  if (s->num_runs) {
    const int32_t power = power_of(s, &s->runs[s->num_runs - 1], count);
    while (s->num_runs > 1 && s->runs[s->num_runs - 2].power > power) merge_at(s, s->num_runs - 2);
    s->runs[s->num_runs - 1].power = power;
  }
  s->runs[s->num_runs++] = (run){first, count, 0};
}

int32_t jf_sort_as_python(jf_record* records, size_t count, jf_record_less less) {
  const int32_t version = __atomic_load_n(&like_python, __ATOMIC_RELAXED);
  sorting s = {.less = less, .records = records, .scratch = records + count, .count = count, .min_gallop = MIN_GALLOP};
  begin_lengths(&s);
  for (size_t at = 0, length; at < count; at += length) {
    const size_t left = count - at, least = next_length(&s, version);
    length = version < 313 ? plain_run(&s, records + at, left) : equal_run(&s, records + at, left);
    if (length < least) {
      const size_t wanted = least < left ? least : left;
      insert(&s, records + at, length, wanted);
      length = wanted;
    }
    add_run(&s, records + at, length);
  }
  while (s.num_runs > 1) {
    size_t at = s.num_runs - 2;
    if (at > 0 && s.runs[at - 1].count < s.runs[at + 1].count) at--;
    merge_at(&s, at);
  }
  return s.failed ? -1 : 0;
}
