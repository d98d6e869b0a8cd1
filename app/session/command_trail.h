// The commands that were carried out last, for the report of a crash.
#pragma once

#include <string_view>

namespace headscope {

// Remembers the title of a command, without what it was given; the last twenty are kept.
void note_command(std::string_view title);

// write(text, size) for every remembered title, the oldest first. Takes no lock and no memory: a signal handler may
// call it, and then a title that is noted at that moment may come out mixed.
void each_noted_command(void (*write)(const char* text, int size));

}  // namespace headscope
