// The end of a program that has no memory left, where no exception can say so.
#pragma once

namespace headscope {

// From now on std::terminate, exit(), SIGSEGV and SIGABRT write one line about missing memory to standard error and end
// the program with code 3, if an allocation has failed before: libraries that cannot go on without memory end so.
// Without a failed allocation they do what they did before this call. `program` is the line's beginning, a literal:
// "headscope-cli: error: ".
void end_politely_without_memory(const char* program) noexcept;

// Writes that line, without asking for memory: what was missing, and the file that was in work.
void say_memory_is_missing() noexcept;

}  // namespace headscope
