;! sig = () -> void
;! entry = python
;! callee = c
;! level = 2

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs) nounwind personality ptr @jf_personality {
entry:
  br label %body
body:
  %state = getelementptr i8, ptr %self, i64 <function.state>
  %all = icmp eq i64 %nargs, 0
  br i1 %all, label %arity, label %arrange, !prof !0
arrange:
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %table, i64 <cold_raise_arity>
  %raise_arity = load ptr, ptr %p.1, align 8
  call preserve_mostcc void %raise_arity(ptr %state, i64 %nargs)
  br label %fail.python
arity:
  %p.2 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.2, align 8
  invoke void %target() to label %came.back unwind label %caught
came.back:
  %p.3 = getelementptr i8, ptr %state, i64 <state.table>
  %table.1 = load ptr, ptr %p.3, align 8
  %pending_count = load ptr, ptr %table.1, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.4 = getelementptr i8, ptr %state, i64 <state.table>
  %table.2 = load ptr, ptr %p.4, align 8
  %p.5 = getelementptr i8, ptr %table.2, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.5, align 8
  %r = call preserve_mostcc i32 %take_pending()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %p.6 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.6, align 8
  %p.7 = getelementptr i8, ptr %table.3, i64 <none>
  %none = load ptr, ptr %p.7, align 8
  ret ptr %none
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.8 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %table.4, i64 <caught>
  %caught.1 = load ptr, ptr %p.9, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.10 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.10, align 8
  %p.11 = getelementptr i8, ptr %table.5, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.11, align 8
  %r.1 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.python:
  ret ptr null
fail.runtime:
  %p.12 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.12, align 8
  %p.13 = getelementptr i8, ptr %table.6, i64 <cold_error_raise>
  %error_raise = load ptr, ptr %p.13, align 8
  call preserve_mostcc void %error_raise(ptr %state)
  ret ptr null
}
