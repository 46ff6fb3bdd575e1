;! sig = (u8) -> u8
;! entry = c
;! callee = c
;! level = 0
;! values = 0, 255

define zeroext i8 @"adapter"(ptr nest %closure, i8 zeroext %a0) nounwind {
entry:
  br label %body
body:
  %state = load ptr, ptr %closure, align 8
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.1, align 8
  %r = call zeroext i8 %target(i8 zeroext %a0)
  ret i8 %r
}
