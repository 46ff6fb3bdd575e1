;! sig = (str) -> str
;! entry = python
;! callee = c
;! options = p2
;! level = 2
;! values = "", "a" * 23, "b" * 24

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs) nounwind personality ptr @jf_personality {
entry:
  %span = alloca [16 x i8], align 8
  %out = alloca [32 x i8], align 8
  store i64 107374182399, ptr %out, align 8
  %p.11 = getelementptr i8, ptr %out, i64 8
  store i64 0, ptr %p.11, align 8
  br label %body
body:
  %state = getelementptr i8, ptr %self, i64 <function.state>
  %all = icmp eq i64 %nargs, 1
  br i1 %all, label %arity, label %arrange, !prof !0
arrange:
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %table, i64 <cold_raise_arity>
  %raise_arity = load ptr, ptr %p.1, align 8
  call preserve_mostcc void %raise_arity(ptr %state, i64 %nargs)
  br label %fail.python
arity:
  %arg0 = load ptr, ptr %args, align 8
  %p.2 = getelementptr i8, ptr %arg0, i64 <object.type>
  %type = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %state, i64 <state.table>
  %table.1 = load ptr, ptr %p.3, align 8
  %p.4 = getelementptr i8, ptr %table.1, i64 <unicode_type>
  %unicode_type = load ptr, ptr %p.4, align 8
  %exact = icmp eq ptr %type, %unicode_type
  br i1 %exact, label %str, label %unbox.slow, !prof !0
str:
  %p.5 = getelementptr i8, ptr %arg0, i64 <unicode.state>
  %state.1 = load i32, ptr %p.5, align 4
  %bits = and i32 %state.1, <unicode.mask>
  %ascii = icmp eq i32 %bits, <unicode.ascii>
  br i1 %ascii, label %ascii.1, label %unbox.slow, !prof !0
ascii.1:
  %data = getelementptr i8, ptr %arg0, i64 <unicode.data>
  %p.6 = getelementptr i8, ptr %arg0, i64 <unicode.length>
  %size = load i64, ptr %p.6, align 8
  br label %unbox.done
unbox.slow:
  %p.7 = getelementptr i8, ptr %state, i64 <state.table>
  %table.2 = load ptr, ptr %p.7, align 8
  %p.8 = getelementptr i8, ptr %table.2, i64 <cold_unbox_str>
  %unbox_str = load ptr, ptr %p.8, align 8
  %r = call preserve_mostcc i32 %unbox_str(ptr %state, i32 0, ptr %arg0, ptr %span)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %fail.text, label %ok, !prof !1
ok:
  %data.1 = load ptr, ptr %span, align 8
  %p.9 = getelementptr i8, ptr %span, i64 8
  %size.1 = load i64, ptr %p.9, align 8
  br label %unbox.done
unbox.done:
  %data.2 = phi ptr [ %data, %ascii.1 ], [ %data.1, %ok ]
  %size.2 = phi i64 [ %size, %ascii.1 ], [ %size.1, %ok ]
  %p.10 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.10, align 8
  %r.1 = invoke i32 %target(ptr %data.2, i64 %size.2, ptr %out) to label %came.back unwind label %caught
came.back:
  %p.12 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.12, align 8
  %pending_count = load ptr, ptr %table.3, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.13 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.13, align 8
  %p.14 = getelementptr i8, ptr %table.4, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.14, align 8
  %r.2 = call preserve_mostcc i32 %take_pending()
  %test.1 = icmp eq i32 %r.2, 0
  br i1 %test.1, label %returned, label %lost
lost:
  %p.15 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.15, align 8
  %p.16 = getelementptr i8, ptr %table.5, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.16, align 8
  call preserve_mostcc void %any_release(ptr %out)
  br label %fail.runtime
returned:
  %failed.1 = icmp ne i32 %r.1, 0
  br i1 %failed.1, label %fail.runtime, label %ok.1, !prof !1
ok.1:
  %p.17 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.17, align 8
  %p.18 = getelementptr i8, ptr %table.6, i64 <box_slot>
  %box_slot = load ptr, ptr %p.18, align 8
  %r.3 = call ptr %box_slot(ptr %out)
  ret ptr %r.3
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.19 = getelementptr i8, ptr %state, i64 <state.table>
  %table.7 = load ptr, ptr %p.19, align 8
  %p.20 = getelementptr i8, ptr %table.7, i64 <caught>
  %caught.1 = load ptr, ptr %p.20, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.21 = getelementptr i8, ptr %state, i64 <state.table>
  %table.8 = load ptr, ptr %p.21, align 8
  %p.22 = getelementptr i8, ptr %table.8, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.22, align 8
  %r.4 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.python:
  %p.23 = getelementptr i8, ptr %state, i64 <state.table>
  %table.9 = load ptr, ptr %p.23, align 8
  %p.24 = getelementptr i8, ptr %table.9, i64 <cold_any_release>
  %any_release.1 = load ptr, ptr %p.24, align 8
  call preserve_mostcc void %any_release.1(ptr %out)
  ret ptr null
fail.text:
  %p.25 = getelementptr i8, ptr %state, i64 <state.table>
  %table.10 = load ptr, ptr %p.25, align 8
  %p.26 = getelementptr i8, ptr %table.10, i64 <cold_any_release>
  %any_release.2 = load ptr, ptr %p.26, align 8
  call preserve_mostcc void %any_release.2(ptr %out)
  %p.27 = getelementptr i8, ptr %state, i64 <state.table>
  %table.11 = load ptr, ptr %p.27, align 8
  %p.28 = getelementptr i8, ptr %table.11, i64 <call_again>
  %call_again = load ptr, ptr %p.28, align 8
  %r.5 = call ptr %call_again(ptr %self, ptr %args, i64 %nargs, ptr null)
  ret ptr %r.5
fail.runtime:
  %p.29 = getelementptr i8, ptr %state, i64 <state.table>
  %table.12 = load ptr, ptr %p.29, align 8
  %p.30 = getelementptr i8, ptr %table.12, i64 <cold_any_release>
  %any_release.3 = load ptr, ptr %p.30, align 8
  call preserve_mostcc void %any_release.3(ptr %out)
  %p.31 = getelementptr i8, ptr %state, i64 <state.table>
  %table.13 = load ptr, ptr %p.31, align 8
  %p.32 = getelementptr i8, ptr %table.13, i64 <cold_error_raise>
  %error_raise = load ptr, ptr %p.32, align 8
  call preserve_mostcc void %error_raise(ptr %state)
  ret ptr null
}
