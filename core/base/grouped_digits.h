// Whole numbers that people read, with their thousands set apart. What is copied or written as data has digits alone.
#pragma once

#include <cstdint>
#include <string>

namespace headscope {

// "1,024", "−12,000".
std::string grouped_digits(std::int64_t number);

// "1 phrase", "20,000 phrases": of a thing whose plural has an s.
std::string grouped_count(std::int64_t count, const std::string& thing);

}  // namespace headscope
