// This program, its machine and its user, as the system knows them.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace headscope::system {

std::int64_t process_number() noexcept;
// Whether a process of this machine runs.
bool process_runs(std::int64_t number) noexcept;
// Of the machine, among others.
std::string machine_name();
// "" when the system does not say.
std::string program_path();
std::string system_name();
std::string processor_name();
// How many threads can run at once; 0 when the system does not say.
unsigned usable_processors() noexcept;

// In bytes; 0 when the system does not say.
double memory_of_machine() noexcept;
double free_memory() noexcept;

// A variable of the environment, as UTF-8.
std::optional<std::string> environment(const char* name);
// An absolute path; "" when the user has none.
std::string home_of_user();
// Whether a path says where it begins, whatever folder one works in.
bool is_absolute_path(const std::string& path);
// The words behind the program's name, as UTF-8.
std::vector<std::string> command_words(int argc, char** argv);

std::optional<std::tm> local_time(std::time_t seconds) noexcept;

// Without a word to anybody: nothing is flushed, nothing destroyed.
[[noreturn]] void end_at_once(int code) noexcept;

}  // namespace headscope::system
