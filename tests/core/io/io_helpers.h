// What the tests of files share: a folder that goes away, bytes by hand, and the sentence of a refusal.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/tensor/tensor.h"

namespace headscope::test {

class IoFolder {
 public:
  IoFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headscope-io-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~IoFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  IoFolder(const IoFolder&) = delete;
  IoFolder& operator=(const IoFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The bytes of a number, little-endian.
template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// "93 4E ..." -> bytes; blanks are passed over.
inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() == 2) {
      bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
      digits.clear();
    }
  }
  return bytes;
}

// The sentence of the E that `act` throws; "" and a failure when it throws none.
template <typename E = Error, typename Act>
std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "another kind of exception: " << other.what();
    return "";
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Equal bit for bit, so that NaN equals NaN and 0 is not -0.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace headscope::test
