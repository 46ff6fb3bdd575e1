;! sig = (bool) -> bool
;! entry = python
;! callee = python
;! level = 2
;! values = True, False

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs) nounwind {
entry:
  %held = alloca [8 x i8], align 8
  %objects = alloca [16 x i8], align 8
  store ptr null, ptr %held, align 8
  %p.8 = getelementptr i8, ptr %objects, i64 8
  store ptr null, ptr %p.8, align 8
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
  %p.2 = getelementptr i8, ptr %state, i64 <state.table>
  %table.1 = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %table.1, i64 <true>
  %true = load ptr, ptr %p.3, align 8
  %is.true = icmp eq ptr %arg0, %true
  %p.4 = getelementptr i8, ptr %state, i64 <state.table>
  %table.2 = load ptr, ptr %p.4, align 8
  %p.5 = getelementptr i8, ptr %table.2, i64 <false>
  %false = load ptr, ptr %p.5, align 8
  %is.false = icmp eq ptr %arg0, %false
  %bits = or i1 %is.true, %is.false
  br i1 %bits, label %bool, label %unbox.slow, !prof !0
bool:
  br label %unbox.done
unbox.slow:
  %p.6 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.6, align 8
  %p.7 = getelementptr i8, ptr %table.3, i64 <cold_unbox_scalar>
  %unbox_scalar = load ptr, ptr %p.7, align 8
  %r = call preserve_mostcc { i64, i64 } %unbox_scalar(ptr %state, i32 0, ptr %arg0, i32 0)
  %member = extractvalue { i64, i64 } %r, 1
  %failed = icmp ne i64 %member, 0
  br i1 %failed, label %fail.python, label %ok, !prof !1
ok:
  %member.1 = extractvalue { i64, i64 } %r, 0
  %v = trunc i64 %member.1 to i1
  br label %unbox.done
unbox.done:
  %v.1 = phi i1 [ %is.true, %bool ], [ %v, %ok ]
  %first = getelementptr i8, ptr %objects, i64 8
  %p.9 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.9, align 8
  %p.10 = getelementptr i8, ptr %table.4, i64 <true>
  %true.1 = load ptr, ptr %p.10, align 8
  %p.11 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.11, align 8
  %p.12 = getelementptr i8, ptr %table.5, i64 <false>
  %false.1 = load ptr, ptr %p.12, align 8
  %bool.1 = select i1 %v.1, ptr %true.1, ptr %false.1
  %p.13 = getelementptr i8, ptr %objects, i64 8
  store ptr %bool.1, ptr %p.13, align 8
  %p.14 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.14, align 8
  %p.15 = getelementptr i8, ptr %table.6, i64 <call_python>
  %call_python = load ptr, ptr %p.15, align 8
  %r.1 = call ptr %call_python(ptr %state, ptr %first, i64 1)
  %is.null = icmp eq ptr %r.1, null
  br i1 %is.null, label %fail.python, label %ok.1, !prof !1
ok.1:
  store ptr %r.1, ptr %held, align 8
  %p.16 = getelementptr i8, ptr %state, i64 <state.table>
  %table.7 = load ptr, ptr %p.16, align 8
  %p.17 = getelementptr i8, ptr %table.7, i64 <true>
  %true.2 = load ptr, ptr %p.17, align 8
  %is.true.1 = icmp eq ptr %r.1, %true.2
  %p.18 = getelementptr i8, ptr %state, i64 <state.table>
  %table.8 = load ptr, ptr %p.18, align 8
  %p.19 = getelementptr i8, ptr %table.8, i64 <false>
  %false.2 = load ptr, ptr %p.19, align 8
  %is.false.1 = icmp eq ptr %r.1, %false.2
  %bits.1 = or i1 %is.true.1, %is.false.1
  br i1 %bits.1, label %bool.2, label %unbox.slow.1, !prof !0
bool.2:
  br label %unbox.done.1
unbox.slow.1:
  %p.20 = getelementptr i8, ptr %state, i64 <state.table>
  %table.9 = load ptr, ptr %p.20, align 8
  %p.21 = getelementptr i8, ptr %table.9, i64 <cold_unbox_scalar>
  %unbox_scalar.1 = load ptr, ptr %p.21, align 8
  %r.2 = call preserve_mostcc { i64, i64 } %unbox_scalar.1(ptr %state, i32 -1, ptr %r.1, i32 0)
  %member.2 = extractvalue { i64, i64 } %r.2, 1
  %failed.1 = icmp ne i64 %member.2, 0
  br i1 %failed.1, label %fail.python, label %ok.2, !prof !1
ok.2:
  %member.3 = extractvalue { i64, i64 } %r.2, 0
  %v.2 = trunc i64 %member.3 to i1
  br label %unbox.done.1
unbox.done.1:
  %v.3 = phi i1 [ %is.true.1, %bool.2 ], [ %v.2, %ok.2 ]
  %p.22 = getelementptr i8, ptr %state, i64 <state.table>
  %table.10 = load ptr, ptr %p.22, align 8
  %p.23 = getelementptr i8, ptr %table.10, i64 <true>
  %true.3 = load ptr, ptr %p.23, align 8
  %p.24 = getelementptr i8, ptr %state, i64 <state.table>
  %table.11 = load ptr, ptr %p.24, align 8
  %p.25 = getelementptr i8, ptr %table.11, i64 <false>
  %false.3 = load ptr, ptr %p.25, align 8
  %bool.3 = select i1 %v.3, ptr %true.3, ptr %false.3
  %held.1 = load ptr, ptr %held, align 8
  %is.null.1 = icmp eq ptr %held.1, null
  br i1 %is.null.1, label %dropped, label %drop
drop:
  %p.26 = getelementptr i8, ptr %state, i64 <state.table>
  %table.12 = load ptr, ptr %p.26, align 8
  %p.27 = getelementptr i8, ptr %table.12, i64 <decref>
  %decref = load ptr, ptr %p.27, align 8
  call void %decref(ptr %held.1)
  br label %dropped
dropped:
  ret ptr %bool.3
fail.python:
  %first.1 = getelementptr i8, ptr %objects, i64 8
  %p.28 = getelementptr i8, ptr %state, i64 <state.table>
  %table.13 = load ptr, ptr %p.28, align 8
  %p.29 = getelementptr i8, ptr %table.13, i64 <cold_decref_array>
  %decref_array = load ptr, ptr %p.29, align 8
  call preserve_mostcc void %decref_array(ptr %first.1, i64 1)
  %held.2 = load ptr, ptr %held, align 8
  %is.null.2 = icmp eq ptr %held.2, null
  br i1 %is.null.2, label %dropped.1, label %drop.1
drop.1:
  %p.30 = getelementptr i8, ptr %state, i64 <state.table>
  %table.14 = load ptr, ptr %p.30, align 8
  %p.31 = getelementptr i8, ptr %table.14, i64 <decref>
  %decref.1 = load ptr, ptr %p.31, align 8
  call void %decref.1(ptr %held.2)
  br label %dropped.1
dropped.1:
  ret ptr null
}
