"""Text to what it declares: functions, structs, enums, constants, with Python's names and the header's comments."""
