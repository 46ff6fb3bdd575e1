;! sig = () -> void
;! entry = c
;! callee = python
;! level = 2

define void @"adapter"(ptr nest %closure) nounwind {
entry:
  %held = alloca [16 x i8], align 8
  %objects = alloca [8 x i8], align 8
  store ptr null, ptr %held, align 8
  %p.2 = getelementptr i8, ptr %held, i64 8
  store ptr null, ptr %p.2, align 8
  br label %body
body:
  %state = load ptr, ptr %closure, align 8
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %run, label %ask, !prof !0
ask:
  %p.1 = getelementptr i8, ptr %table, i64 <cold_is_pending>
  %is_pending = load ptr, ptr %p.1, align 8
  %r = call preserve_mostcc i32 %is_pending()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %run, label %silent
silent:
  ret void
run:
  %p.3 = getelementptr i8, ptr %table, i64 <enter_python>
  %enter_python = load ptr, ptr %p.3, align 8
  %r.1 = call ptr %enter_python(ptr %state, ptr %closure)
  %is.null = icmp eq ptr %r.1, null
  br i1 %is.null, label %fail.runtime, label %ok, !prof !1
ok:
  store ptr %r.1, ptr %held, align 8
  %drop = getelementptr i8, ptr %held, i64 8
  %first = getelementptr i8, ptr %objects, i64 8
  %p.4 = getelementptr i8, ptr %table, i64 <call_python>
  %call_python = load ptr, ptr %p.4, align 8
  %r.2 = call ptr %call_python(ptr %state, ptr %first, i64 0)
  %is.null.1 = icmp eq ptr %r.2, null
  br i1 %is.null.1, label %fail.python, label %ok.1, !prof !1
ok.1:
  store ptr %r.2, ptr %drop, align 8
  %gil = load ptr, ptr %held, align 8
  %is.null.2 = icmp eq ptr %gil, null
  br i1 %is.null.2, label %left, label %leave, !prof !1
leave:
  %p.5 = getelementptr i8, ptr %held, i64 8
  %object = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %table, i64 <leave_python>
  %leave_python = load ptr, ptr %p.6, align 8
  call void %leave_python(ptr %state, ptr %gil, ptr %object)
  br label %left
left:
  ret void
fail.runtime:
  %gil.1 = load ptr, ptr %held, align 8
  %is.null.3 = icmp eq ptr %gil.1, null
  br i1 %is.null.3, label %left.1, label %leave.1, !prof !1
leave.1:
  %p.7 = getelementptr i8, ptr %held, i64 8
  %object.1 = load ptr, ptr %p.7, align 8
  %p.8 = getelementptr i8, ptr %table, i64 <leave_python>
  %leave_python.1 = load ptr, ptr %p.8, align 8
  call void %leave_python.1(ptr %state, ptr %gil.1, ptr %object.1)
  br label %left.1
left.1:
  %p.9 = getelementptr i8, ptr %table, i64 <cold_error_pending>
  %error_pending = load ptr, ptr %p.9, align 8
  call preserve_mostcc void %error_pending()
  ret void
fail.python:
  %p.10 = getelementptr i8, ptr %table, i64 <cold_error_from_python>
  %error_from_python = load ptr, ptr %p.10, align 8
  call preserve_mostcc void %error_from_python()
  br label %fail.runtime
}
