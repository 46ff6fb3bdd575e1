;! sig = (x: f32) -> f32
;! entry = python
;! callee = c
;! options = k
;! level = 0
;! values = 1.5, 0.0

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind personality ptr @jf_personality {
entry:
  %arranged = alloca [8 x i8], align 8
  br label %body
body:
  %state = getelementptr i8, ptr %self, i64 <function.state>
  %all = icmp eq i64 %nargs, 1
  %is.null = icmp eq ptr %kwnames, null
  %all.1 = and i1 %all, %is.null
  br i1 %all.1, label %arity, label %named
named:
  %p = getelementptr i8, ptr %state, i64 <state.kw_names>
  %names = load ptr, ptr %p, align 8
  %test = icmp eq ptr %kwnames, %names
  %p.1 = getelementptr i8, ptr %state, i64 <state.kw_given>
  %given = load i64, ptr %p.1, align 8
  %test.1 = icmp eq i64 %nargs, %given
  %in.order = and i1 %test, %test.1
  br i1 %in.order, label %arity, label %arrange, !prof !0
arrange:
  %p.2 = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %table, i64 <arrange>
  %arrange.1 = load ptr, ptr %p.3, align 8
  %r = call ptr %arrange.1(ptr %state, ptr %args, i64 %nargs, ptr %kwnames, ptr %arranged)
  %is.null.1 = icmp eq ptr %r, null
  br i1 %is.null.1, label %fail.python, label %ok, !prof !1
ok:
  br label %arity
arity:
  %args.1 = phi ptr [ %args, %body ], [ %args, %named ], [ %r, %ok ]
  %arg0 = load ptr, ptr %args.1, align 8
  %p.4 = getelementptr i8, ptr %arg0, i64 <object.type>
  %type = load ptr, ptr %p.4, align 8
  %p.5 = getelementptr i8, ptr %state, i64 <state.table>
  %table.1 = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %table.1, i64 <float_type>
  %float_type = load ptr, ptr %p.6, align 8
  %exact = icmp eq ptr %type, %float_type
  br i1 %exact, label %float, label %unbox.slow, !prof !0
float:
  %p.7 = getelementptr i8, ptr %arg0, i64 <float.value>
  %value = load double, ptr %p.7, align 8
  %v = fptrunc double %value to float
  %v.1 = bitcast float %v to i32
  %bits = and i32 %v.1, 2147483647
  %finite = icmp ne i32 %bits, 2139095040
  br i1 %finite, label %finite.1, label %unbox.slow, !prof !0
finite.1:
  br label %unbox.done
unbox.slow:
  %p.8 = getelementptr i8, ptr %state, i64 <state.table>
  %table.2 = load ptr, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %table.2, i64 <unbox_scalar>
  %unbox_scalar = load ptr, ptr %p.9, align 8
  %r.1 = call { i64, i64 } %unbox_scalar(ptr %state, i32 0, ptr %arg0, i32 11)
  %member = extractvalue { i64, i64 } %r.1, 1
  %failed = icmp ne i64 %member, 0
  br i1 %failed, label %fail.python, label %ok.1, !prof !1
ok.1:
  %member.1 = extractvalue { i64, i64 } %r.1, 0
  %v.2 = trunc i64 %member.1 to i32
  %v.3 = bitcast i32 %v.2 to float
  br label %unbox.done
unbox.done:
  %v.4 = phi float [ %v, %finite.1 ], [ %v.3, %ok.1 ]
  %p.10 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.10, align 8
  %r.2 = invoke float %target(float %v.4) to label %came.back unwind label %caught
came.back:
  %p.11 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.11, align 8
  %pending_count = load ptr, ptr %table.3, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test.2 = icmp eq i32 %pending, 0
  br i1 %test.2, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.12 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.12, align 8
  %p.13 = getelementptr i8, ptr %table.4, i64 <take_pending>
  %take_pending = load ptr, ptr %p.13, align 8
  %r.3 = call i32 %take_pending()
  %test.3 = icmp eq i32 %r.3, 0
  br i1 %test.3, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %v.5 = fpext float %r.2 to double
  %p.14 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.14, align 8
  %p.15 = getelementptr i8, ptr %table.5, i64 <box_f64>
  %box_f64 = load ptr, ptr %p.15, align 8
  %r.4 = tail call ptr %box_f64(double %v.5)
  ret ptr %r.4
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.16 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.16, align 8
  %p.17 = getelementptr i8, ptr %table.6, i64 <caught>
  %caught.1 = load ptr, ptr %p.17, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.18 = getelementptr i8, ptr %state, i64 <state.table>
  %table.7 = load ptr, ptr %p.18, align 8
  %p.19 = getelementptr i8, ptr %table.7, i64 <take_pending>
  %take_pending.1 = load ptr, ptr %p.19, align 8
  %r.5 = call i32 %take_pending.1()
  br label %fail.runtime
fail.python:
  ret ptr null
fail.runtime:
  %p.20 = getelementptr i8, ptr %state, i64 <state.table>
  %table.8 = load ptr, ptr %p.20, align 8
  %p.21 = getelementptr i8, ptr %table.8, i64 <error_raise>
  %error_raise = load ptr, ptr %p.21, align 8
  call void %error_raise(ptr %state)
  ret ptr null
}
