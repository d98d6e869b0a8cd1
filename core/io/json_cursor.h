// The reader of every JSON text that comes in: a position in it, from which values are taken one by one. Nothing is
// held but the text, so that a vocabulary of 250,000 pieces or a header of 100 MB costs no more than what the caller
// keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_value.h"

namespace headscope {

// What a value that is held may take: how many lists and objects lie in each other, how many values there are in all,
// and how many of them stand in objects, each with its key.
struct JsonLimits {
  int deepest = 32;
  std::size_t values = 1'000'000;
  std::size_t keys = 1'000'000;
};

// Takes what RFC 8259 allows, less byte order marks, NULs and invalid UTF-8 (the constructor looks through the whole
// text), and numbers that a double cannot hold. Every read moves past what it read; Error when the text holds something
// else there: "WHAT: SENTENCE at byte N", bytes counted from 1. Copies are cheap and independent, and the text must
// outlive them all.
class JsonCursor {
 public:
  // `what` begins every sentence.
  JsonCursor(std::string_view json, const std::string& what);

  // What stands here, by its first character; the reads below do not need it.
  JsonValue::Kind kind();
  void read_string(std::string& text);
  double read_number();                 // one too small for a double is 0, one too large an Error
  std::string_view read_number_text();  // as it is written, of any size
  // A number without fraction and exponent in low ... high.
  std::int64_t read_integer(std::int64_t low, std::int64_t high);
  // The whole value. Error beyond the limits, and for a key that stands twice in its object.
  JsonValue read_value(const JsonLimits& limits = {});
  // Passes over the value, which has to be valid JSON, nested at most as deep as JsonLimits say.
  void skip_value();
  void finish();  // nothing but blanks may follow

  // A list or object, one item at a time; keys that stand twice are for the caller to find:
  //   for (bool more = cursor.enter('['); more; more = cursor.next(']')) { read the item }
  bool enter(char open);
  bool next(char close);
  // The key of an object's item; call it before reading the value.
  void read_key(std::string& key);

  struct Member;
  // The keys of the object at this position, each once, with cursors at their values; at most 1000.
  std::vector<Member> read_members();

  // Throws that Error, with the byte at which the next read would begin.
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  void skip_blanks();
  void expect(char wanted);
  void read_escape(std::string& text);
  std::uint32_t read_hex();
  void read_word(std::string_view word);
  struct Count {
    std::size_t values = 0, keys = 0;
  };
  void fill(JsonValue& value, int depth, const JsonLimits& limits, Count& count);
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
