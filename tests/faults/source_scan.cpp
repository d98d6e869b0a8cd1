#include "tests/faults/source_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace headscope::test {

namespace {

namespace fs = std::filesystem;

// How a .cpp opens a file: our own layer, the system's calls, the standard library. Words that stand for themselves.
constexpr const char* kOpensToRead[] = {
    "MappedFile::open(", "read_small_file(", "load_kept_file(", "ifstream", "O_RDONLY", "O_RDWR", "fopen(",
    "filebuf",           "openat("};
constexpr const char* kOpensToWrite[] = {"write_file_atomically(",
                                         "FilesTogether ",
                                         "save_kept_files(",
                                         "ofstream",
                                         "O_WRONLY",
                                         "O_RDWR",
                                         "O_CREAT",
                                         "fopen(",
                                         "filebuf",
                                         "openat(",
                                         "mkstemp("};
constexpr const char* kReads[] = {"read", "load", "open", "parse"};
constexpr const char* kWrites[] = {"write", "save", "export"};
// What such a function takes: a place, or what lies there.
constexpr const char* kTakes[] = {"path", "path_or_demo", "folder", "bytes", "json", "plan", "std::ostream&"};

std::string text_without_comments(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::string line; std::getline(file, line);) text += line.substr(0, line.find("//")) + '\n';
  return text;
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where a word stands that is no part of a longer one.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(text[at - 1]) || !is_letter(word.front());
    const bool ends = end == text.size() || !is_letter(text[end]) || !is_letter(word.back());
    if (begins && ends) return at;
  }
  return text.npos;
}

template <std::size_t count>
bool holds_one(std::string_view text, const char* const (&words)[count]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](const char* word) { return find_word(text, word) != text.npos; });
}

// A declaration at `at`, where a verb begins: its name and its parameters; an empty name: there is none.
struct Declared {
  std::string_view name, parameters;
};
Declared declared_at(std::string_view text, std::size_t at) {
  // A return type stands in front; a member of something or an argument does not.
  const std::size_t line = text.rfind('\n', at) + 1;
  const std::string_view before = text.substr(line, at - line);
  const std::size_t type = before.find_first_not_of(" \t");
  if (type == before.npos || before.find_first_of("(.=;{") != before.npos) return {};
  if (before.back() != ' ' && before.back() != '&' && before.back() != '*') return {};
  if (before.substr(type).starts_with("return")) return {};
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end == text.size() || text[end] != '(') return {};
  int depth = 0;
  for (std::size_t k = end; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) return {text.substr(at, end - at), text.substr(end + 1, k - end - 1)};
  }
  return {};
}

// The class whose declaration is the last before `at`.
std::string class_before(std::string_view text, std::size_t at) {
  std::string name;
  for (std::size_t found = text.find("\nclass "); found < at; found = text.find("\nclass ", found + 1)) {
    const std::size_t begin = found + 7;
    std::size_t end = begin;
    while (is_letter(text[end])) ++end;
    if (text.substr(end).find_first_of(";{") != text.npos && text[text.find_first_of(";{", end)] == '{') {
      name = text.substr(begin, end - begin);
    }
  }
  return name;
}

template <std::size_t count>
void add_functions(std::string_view text, const char* const (&verbs)[count], std::set<std::string>& found) {
  for (const std::string_view verb : verbs) {
    for (std::size_t at = text.find(verb); at != text.npos; at = text.find(verb, at + 1)) {
      if (at > 0 && is_letter(text[at - 1])) continue;
      const char next = at + verb.size() < text.size() ? text[at + verb.size()] : ' ';
      if (next != '_' && next != '(') continue;
      const Declared function = declared_at(text, at);
      if (function.name.empty() || !holds_one(function.parameters, kTakes)) continue;
      found.insert(next == '(' ? class_before(text, at) + "::" + std::string(verb) : std::string(function.name));
    }
  }
}

}  // namespace

FileUsers file_users(const std::string& root) {
  FileUsers users;
  for (const char* top : {"core", "app"}) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / top, error)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      const std::string text = text_without_comments(entry.path());
      if (ending == ".h") {
        add_functions(text, kReads, users.readers);
        add_functions(text, kWrites, users.writers);
        continue;
      }
      const std::string name = fs::relative(entry.path(), root).generic_string();
      if (holds_one(text, kOpensToRead)) users.readers.insert(name);
      if (holds_one(text, kOpensToWrite)) users.writers.insert(name);
    }
  }
  return users;
}

}  // namespace headscope::test
