/* split, splitlines, partition, join and replace: from text to lists and back. */
#include "scripthelper.h"

/* The texts of a list or tuple, each behind a bar. Released. */
static const char* items_of(jf_object* items) {
  static char text[512];
  size_t size = 0;
  const jf_list* list = (const jf_list*)items;
  for (size_t i = 0; i < list->size; i++) {
    jf_view view;
    jf_item_view(list->items[i], &view);
    jf_value copy = null_out(8);
    CHECK(jf_any_retain(&view, &copy) == 0);
    size += (size_t)snprintf(text + size, sizeof text - size, "|%s", shown(&copy) + 2);
  }
  text[size] = 0;
  jf_object_release(items);
  return text;
}

#define CHECK_ITEMS(call, expected)       \
  do {                                    \
    jf_object* list = NULL;               \
    jf_object** out = &list;              \
    CHECK((call) == 0);                   \
    CHECK_TEXT(items_of(list), expected); \
  } while (0)

static void test_split(void) {
  const jf_text text = narrow(" one  two three-and-more\034x "),
                odd = wide("\xC3\xA9 a\xE3\x80\x80long-ascii-word \xC3\xA9\xC3\xA8\xC3\xA9\xC3\xA8\xC3\xA9"),
                dash = narrow("-"), two = narrow("  "), none = narrow(""), lines = narrow("a\r\nb\n\nc\v"),
                wide_lines = wide("\xC3\xA9\xE2\x80\xA8z\r\n");
  CHECK_ITEMS(jf_text_split(&text, NULL, -1, 1, out), "|one|two|three-and-more|x");
  CHECK_ITEMS(jf_text_split(&text, NULL, 1, 1, out), "|one|two three-and-more\034x ");
  CHECK_ITEMS(jf_text_split(&text, &dash, -1, 1, out), "| one  two three|and|more\034x ");
  CHECK_ITEMS(jf_text_split(&text, &two, -1, 0, out), "| one|two three-and-more\034x ");
  CHECK_ITEMS(jf_text_split(&odd, NULL, -1, 1, out),
              "|\xC3\xA9|a|long-ascii-word|\xC3\xA9\xC3\xA8\xC3\xA9\xC3\xA8\xC3\xA9");
  CHECK_ITEMS(jf_text_split(&odd, &dash, -1, 1, out),
              "|\xC3\xA9 a\xE3\x80\x80long|ascii|word \xC3\xA9\xC3\xA8\xC3\xA9\xC3\xA8\xC3\xA9");
  CHECK_ITEMS(jf_text_rsplit(&text, NULL, 1, 1, out), "| one  two three-and-more|x");
  CHECK_ITEMS(jf_text_rsplit(&text, &dash, 1, 1, out), "| one  two three-and|more\034x ");
  CHECK_ITEMS(jf_bytes_split(&text, NULL, -1, 1, out), "|one|two|three-and-more\034x");
  CHECK_ITEMS(jf_bytes_split(&text, NULL, 1, 1, out), "|one|two three-and-more\034x ");
  CHECK_ITEMS(jf_bytes_rsplit(&text, NULL, 1, 1, out), "| one  two|three-and-more\034x");
  CHECK_ITEMS(jf_text_splitlines(&lines, 0, 1, out), "|a|b||c");
  CHECK_ITEMS(jf_text_splitlines(&lines, 1, 1, out), "|a\r\n|b\n|\n|c\v");
  CHECK_ITEMS(jf_text_splitlines(&wide_lines, 0, 1, out), "|\xC3\xA9|z");
  CHECK_ITEMS(jf_bytes_splitlines(&lines, 0, 1, out), "|a|b||c\v");
  CHECK_ITEMS(jf_text_partition(&text, &dash, out), "| one  two three|-|and-more\034x ");
  CHECK_ITEMS(jf_text_rpartition(&odd, &dash, out),
              "|\xC3\xA9 a\xE3\x80\x80long-ascii|-|word \xC3\xA9\xC3\xA8\xC3\xA9\xC3\xA8\xC3\xA9");
  CHECK_ITEMS(jf_bytes_partition(&lines, &dash, out), "|a\r\nb\n\nc\v||");
  CHECK_ITEMS(jf_bytes_rpartition(&lines, &dash, out), "|||a\r\nb\n\nc\v");
  jf_object* list;
  CHECK(jf_text_split(&text, &none, -1, 1, &list) == -1 && !list);
  CHECK_ERROR("ValueError: empty separator");
  CHECK(jf_bytes_rsplit(&text, &none, 2, 1, &list) == -1 && !list);
  CHECK_ERROR("ValueError: empty separator");
  CHECK(jf_text_partition(&text, &none, &list) == -1 && !list);
  CHECK_ERROR("ValueError: empty separator");
}

static void test_join(void) {
  jf_text comma = narrow(", "), accented = wide("\xC3\xA9"), none = narrow("");
  jf_any views[] = {slot_of_raw("a"), slot_of_raw("a word that is long"), slot_of_raw("seven77"), slot_of_int(3)};
  jf_any list = slot_of_object(jf_list_of(views, 3, 1)), tuple = slot_of_object(jf_tuple_new(views, 4));
  jf_any text = slot_of_raw("abc"), number = slot_of_int(1);
  CHECK_MADE(jf_text_join(&comma, &list, out), "A:a, a word that is long, seven77");
  CHECK_MADE(jf_text_join(&accented, &list, out),
             "U:a\xC3\xA9"
             "a word that is long\xC3\xA9seven77");
  CHECK_MADE(jf_text_join(&comma, &text, out), "a:a, b, c");
  CHECK_FAILS(jf_text_join(&comma, &tuple, out), "TypeError: sequence item 3: expected str instance, int found");
  CHECK_FAILS(jf_bytes_join(&comma, &list, out), "TypeError: sequence item 0: expected a bytes-like object, str found");
  CHECK_FAILS(jf_text_join(&comma, &number, out), "TypeError: can only join an iterable");
  jf_any_release(&list);
  views[3] = slot_of_raw("\xC3\xA9"); /* UTF-8 from elsewhere */
  list = slot_of_object(jf_list_of(views + 2, 2, 1));
  CHECK_MADE(jf_text_join(&none, &list, out), "U:seven77\xC3\xA9");
  jf_any_release(&list);
  list = slot_of_object(jf_list_new(0, 1));
  CHECK_MADE(jf_text_join(&comma, &list, out), "a:");
  CHECK(jf_text_list_append(list.v_object, &accented) == 0 && jf_text_list_append(list.v_object, &comma) == 0);
  CHECK_MADE(jf_text_join(&comma, &list, out), "U:\xC3\xA9, , ");
  jf_any_release(&list);
  jf_any_release(&tuple);
  jf_span spans[] = {{"ab", 2}, {"cd", 2}};
  const jf_any bytes[] = {{JF_BYTE_ARRAY, 0, {.v_span = &spans[0]}}, {JF_BYTE_ARRAY, 0, {.v_span = &spans[1]}}};
  list = slot_of_object(jf_list_of(bytes, 2, 1));
  CHECK_MADE(jf_bytes_join(&comma, &list, out), "b:ab, cd");
  jf_any_release(&list);
}

static void test_replace(void) {
  const jf_text text = narrow("banana"), a = narrow("a"), o = narrow("o"), na = narrow("na"), none = narrow(""),
                accented = wide("\xC3\xA9"), wide_text = wide("b\xC3\xA9n");
  CHECK_MADE(jf_text_replace(&text, &a, &o, -1, out), "a:bonono");
  CHECK_MADE(jf_text_replace(&text, &a, &o, 1, out), "a:bonana");
  CHECK_MADE(jf_text_replace(&text, &na, &none, -1, out), "a:ba");
  CHECK_MADE(jf_text_replace(&text, &none, &o, 2, out), "a:oboanana");
  CHECK_MADE(jf_text_replace(&wide_text, &none, &o, -1, out), "U:obo\xC3\xA9ono");
  CHECK_MADE(jf_text_replace(&wide_text, &accented, &a, -1, out), "a:ban");
  CHECK_MADE(jf_text_replace(&wide_text, &accented, &na, -1, out), "a:bnan");
  CHECK_MADE(jf_text_replace(&wide_text, &na, &a, -1, out), "u:b\xC3\xA9n");
  CHECK_MADE(jf_text_replace(&text, &a, &accented, 1, out), "U:b\xC3\xA9nana");
  CHECK_MADE(jf_bytes_replace(&text, &na, &o, -1, out), "b:baoo");
  CHECK_MADE(jf_bytes_replace(&text, &o, &na, -1, out), "b:banana");
}

static const jf_text space = {" ", 1, 0}, words = {"some words, and one thatisverylongindeed ", 41, 0};

static int32_t split_and_join(const jf_text* text) {
  jf_object *list = NULL, *tuple = NULL;
  jf_value out = null_out(8);
  int32_t status = jf_text_split(text, NULL, -1, 1, &list);
  if (status == 0) {
    const jf_any view = slot_of_object(list);
    status = jf_text_join(&space, &view, &out);
    jf_any_release(&out);
    jf_object_release(list);
  }
  if (status == 0) status = jf_text_split(text, &space, 3, 1, &list);
  if (status == 0) jf_object_release(list);
  if (status == 0) status = jf_text_rsplit(text, NULL, 3, 0, &list);
  if (status == 0) jf_object_release(list);
  if (status == 0) status = jf_text_splitlines(text, 1, 0, &list);
  if (status == 0) jf_object_release(list);
  if (status == 0) status = jf_text_partition(text, &space, &tuple);
  if (status == 0) jf_object_release(tuple);
  jf_out_init(&out, 8);
  if (status == 0) status = jf_text_replace(text, &space, &words, -1, &out);
  jf_any_release(&out);
  return status;
}

static int32_t with_narrow(void) { return split_and_join(&words); }

static int32_t with_wide(void) {
  const jf_text text = {U"some w\u00F6rds, \u00E9\u00E9\u00E9\u00E9\u00E9\u00E9 and \u00F6ne", 25, 1};
  return split_and_join(&text);
}

static int32_t join_utf8(void) {
  jf_any views[] = {slot_of_raw("\xC3\xA9\xC3\xA9\xC3\xA9"), slot_of_raw("seven77")};
  jf_any list = slot_of_object(jf_list_of(views, 2, 1));
  if (!list.v_object) return -1;
  jf_value out = null_out(8);
  const int32_t status = jf_text_join(&space, &list, &out);
  jf_any_release(&out);
  jf_any_release(&list);
  return status;
}

static void test_without_memory(void) {
  SURVIVES(with_narrow);
  SURVIVES(with_wide);
  SURVIVES(join_utf8);
}

int main(void) {
  RUN(test_split);
  RUN(test_join);
  RUN(test_replace);
  RUN(test_without_memory);
  return finish();
}
