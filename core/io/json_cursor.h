// A reading position in a JSON text: for files too large to be held as values, such as a vocabulary of 250,000 pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_text.h"

namespace headscope {

// As strict as parse_strict_json, without its limit of size. Every read moves past what it read; Error when the text
// holds something else there. Copies are cheap and independent, and the text must outlive them all.
class JsonCursor {
 public:
  // Error for a byte order mark, NULs and invalid UTF-8. `what` begins every sentence.
  JsonCursor(std::string_view json, const std::string& what);

  JsonValue::Kind kind();
  void read_string(std::string& text);
  double read_number();
  // A number without fraction and exponent in low ... high.
  std::int64_t read_integer(std::int64_t low, std::int64_t high);
  // The whole value, at most a million values nested at most 32 deep.
  JsonValue read_value();
  void skip_value();
  void finish();  // nothing but blanks may follow

  // A list or object, one item at a time:
  //   for (bool more = cursor.enter('['); more; more = cursor.next(']')) { read the item }
  bool enter(char open);
  bool next(char close);
  // The key of an object's item; call it before reading the value.
  void read_key(std::string& key);

  struct Member;
  // The keys of the object at this position, each once, with cursors at their values; at most 1000.
  std::vector<Member> read_members();

  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  void skip_blanks();
  void expect(char wanted);
  std::string_view read_number_text();
  void read_escape(std::string& text);
  std::uint32_t read_hex();
  void read_word(std::string_view word);
  void fill(JsonValue& value, int depth, std::size_t& left);
  void skip(int depth);

  std::string_view json_;
  std::size_t at_ = 0;
  std::shared_ptr<const std::string> what_;
};

struct JsonCursor::Member {
  std::string key;
  JsonCursor value;
};

}  // namespace headscope
