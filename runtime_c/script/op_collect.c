/* One value of many: sum, min, max, any, all. */
#include <math.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_number.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* -- sum -- */

typedef struct {
  jf_room total;
  double correction; /* what rounding took from a sum of floats */
} summing;

/* From 3.12 on CPython's sums of floats are compensated (Neumaier), from 3.14 on those with ints among them, too. */
static void add_float(summing* s, double x) {
  double* const sum = &s->total.slot.v_float64;
  const double t = *sum + x;
  if (JITFFI_SCRIPT_PYTHON >= 312) s->correction += fabs(*sum) >= fabs(x) ? *sum - t + x : x - t + *sum;
  *sum = t;
}

static void settle(summing* s) {
  if (s->total.slot.type_code == JF_FLOAT && s->correction != 0 && isfinite(s->correction)) {
    s->total.slot.v_float64 += s->correction;
  }
  s->correction = 0;
}

static int32_t add_item(summing* s, const jf_any* item) {
  jf_any* const so_far = &s->total.slot;
  if (so_far->type_code == JF_INT && item->type_code == JF_INT) {
    int64_t sum;
    if (!__builtin_add_overflow(so_far->v_int64, item->v_int64, &sum)) {
      so_far->v_int64 = sum;
      return 0;
    }
  }
  if (s->total.slot.type_code == JF_FLOAT) {
    if (item->type_code == JF_FLOAT) {
      add_float(s, item->v_float64);
      return 0;
    }
    if (JITFFI_SCRIPT_PYTHON >= 314 && jf_value_kind(item) == JF_VALUE_NUMBER) {
      add_float(s, jf_op_to_double(item));
      return 0;
    }
    if (item->type_code == JF_INT || item->type_code == JF_BOOL) {
      s->total.slot.v_float64 += (double)item->v_int64;
      return 0;
    }
  }
  jf_view total;
  jf_room sum;
  settle(s);
  jf_room_view(&s->total, &total);
  jf_room_init(&sum);
  if (jf_op_binary(JF_OP_ADD, &total, item, &sum.slot) != 0) return -1;
  jf_any_release(&s->total.slot);
  s->total = sum;
  return 0;
}

static int32_t add_all(summing* s, jf_iteration* it) {
  for (;;) {
    jf_room room;
    jf_view item;
    jf_room_init(&room);
    const int32_t found = jf_iterate_next(it, &room.slot);
    if (found != 1) return found;
    if (room.slot.type_code == JF_INT || room.slot.type_code == JF_FLOAT) {
      item = room.slot;
    } else {
      jf_room_view(&room, &item);
    }
    const int32_t status = add_item(s, &item);
    jf_room_drop(&room);
    if (status != 0) return -1;
  }
}

static int32_t check_start(const jf_any* start) {
  jf_any scratch;
  const int32_t kind = jf_value_kind(jf_any_resolve(start, &scratch));
  if (kind == JF_VALUE_TEXT) return JF_FAIL("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
  if (kind == JF_VALUE_BYTES) return JF_FAIL("TypeError", "sum() can't sum bytes [use b''.join(seq) instead]");
  return 0;
}

/* Borrows both; start NULL: 0. TypeError, OverflowError, or what the iteration says: *out is null. */
int32_t jf_op_sum(const jf_any* iterable, const jf_any* start, jf_value* out) {
  summing s = {.correction = 0};
  jf_iteration it;
  const jf_any zero = {JF_INT, 0, {0}};
  if (jf_iterate(&it, iterable, JF_OVER_ITEMS) != 0) {
    jf_set_null(out);
    return -1;
  }
  jf_room_init(&s.total);
  int32_t status = start ? check_start(start) : 0;
  if (status == 0) status = jf_any_retain(start ? start : &zero, &s.total.slot);
  if (status == 0) status = add_all(&s, &it);
  jf_iterate_end(&it);
  settle(&s);
  if (status == 0) return jf_any_move(&s.total.slot, out);
  jf_any_release(&s.total.slot);
  jf_set_null(out);
  return -1;
}

/* Of a sum that is made item by item: borrows the total so far and the next item, NULL at the end; *lost is what rounding took, 0 at
 * first. *out owns the new total. TypeError, OverflowError: it is null. */
int32_t jf_op_sum_item(const jf_any* total, const jf_any* item, double* lost, jf_value* out) {
  summing s = {.correction = *lost};
  jf_room_init(&s.total);
  int32_t status = jf_any_retain(total, &s.total.slot);
  if (status == 0 && item) status = add_item(&s, item);
  if (!item) settle(&s);
  *lost = s.correction;
  if (status == 0) return jf_any_move(&s.total.slot, out);
  jf_any_release(&s.total.slot);
  jf_set_null(out);
  return -1;
}

/* -- min and max -- */

/* *best points at the best of what there is, in one of two rooms. 1; 0: there was nothing; -1. */
static int32_t find_best(jf_iteration* it, int32_t op, jf_room* rooms, jf_room** best) {
  jf_room* item = &rooms[1];
  int32_t has_best = 0;
  for (;;) {
    jf_room_init(item);
    const int32_t found = jf_iterate_next(it, &item->slot);
    if (found == 0) return has_best;
    int32_t better = found < 0 ? -1 : 1;
    if (item->slot.type_code == JF_NULL) item->slot.small_len = 0;
    if (found == 1 && has_best) better = jf_op_compare(op, &item->slot, &(*best)->slot);
    if (better == 1) {
      jf_room* const other = *best;
      *best = item;
      item = other;
      has_best = 1;
    }
    jf_room_drop(item);
    if (better < 0) return -1;
  }
}

/* Borrows. ValueError for nothing at all, TypeError, or what a comparison says: *out is null. */
int32_t jf_op_extreme(const jf_any* iterable, int32_t is_max, jf_value* out) {
  jf_iteration it;
  jf_room rooms[2], *best = &rooms[0];
  if (jf_iterate(&it, iterable, JF_OVER_ITEMS) != 0) {
    jf_set_null(out);
    return -1;
  }
  best->slot = (jf_any){JF_NULL, 0, {0}};
  const int32_t found = find_best(&it, is_max ? JF_GT : JF_LT, rooms, &best);
  jf_iterate_end(&it);
  if (found == 1) return jf_any_move(&best->slot, out);
  jf_room_drop(best);
  jf_set_null(out);
  if (found < 0) return -1;
  return JF_FAIL("ValueError",
                 JITFFI_SCRIPT_PYTHON < 312 ? "%s() arg is an empty sequence" : "%s() iterable argument is empty",
                 is_max ? "max" : "min");
}

/* -- any and all -- */

/* Borrows: 1, 0, -1. Stops at the first item that decides. */
int32_t jf_op_every(const jf_any* iterable, int32_t is_all) {
  jf_iteration it;
  int32_t result = is_all != 0;
  if (jf_iterate(&it, iterable, JF_OVER_ITEMS) != 0) return -1;
  for (;;) {
    jf_room item;
    jf_room_init(&item);
    const int32_t found = jf_iterate_next(&it, &item.slot);
    if (found < 0) result = -1;
    if (found != 1) break;
    const int32_t truth = jf_op_truth(&item.slot);
    jf_any_release(&item.slot);
    if (truth < 0 || truth == !is_all) {
      result = truth;
      break;
    }
  }
  jf_iterate_end(&it);
  return result;
}
