// What a user or the system does to end a program, or to stop its output.
#pragma once

namespace headscope::system {

// Calls `interrupted` with the number of the signal (2: Ctrl+C) when the program is asked to end; a second time it
// ends. The call may do only what a signal handler may. A signal that is ignored already (nohup) stays so.
void on_interrupt(void (*interrupted)(int signal_number)) noexcept;

// A reader who left, or a limit on file sizes, is an error of the write, and does not end the program.
void make_refused_writes_errors() noexcept;

// Calls `ending` when the program crashes or aborts, on a stack of its own; when that returns, the program ends as it
// would have.
void on_crash(void (*ending)() noexcept) noexcept;

}  // namespace headscope::system
