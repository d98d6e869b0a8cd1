// The three streams that a program is given, and the terminal behind them.
#pragma once

#include <cstddef>

namespace headscope::system {

inline constexpr int kInput = 0, kOutput = 1, kError = 2;

// See open_standard_streams(). On Windows also: bytes go through as they are, and a console takes them as UTF-8.
void open_closed_streams() noexcept;

bool is_terminal(int stream) noexcept;
// Of the terminal behind standard error; 0 when there is none.
std::size_t terminal_columns() noexcept;

// Whether reading standard input gives something, or its end, within so many milliseconds. A refusal is for the reader.
bool input_waits(int milliseconds) noexcept;

// A second descriptor of the same stream, above the first three, or -1 and errno.
int second_descriptor(int stream) noexcept;
// `stream` leads from now on where `descriptor` does.
bool lead_stream(int stream, int descriptor) noexcept;

}  // namespace headscope::system
