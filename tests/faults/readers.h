// Every reader of files, a row each. readers_test.cpp gives each row damaged files, other kinds of files and files that
// are none; in_the_tables_test.cpp fails when a reader of the tree is in no row, or a row names no fuzz target.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
class Tensor;
}

namespace headscope::test {

struct Reader {
  const char* name;        // of the row
  const char* covers;      // public functions, and files of the tree that open such a file; blanks between
  const char* file;        // how the file is called, in a folder of its own
  std::string (*small)();  // the bytes of a small valid one
  std::string (*read)(const std::string& path);  // what was read, as text; throws where the reader refuses
  // Fuzz targets that give it any bytes, blanks between: "npy" is tests/fuzz/npy_fuzz.cpp, which reads from memory; one
  // whose name ends with _files gives them to this row as its file.
  const char* fuzz = "";

  // What else lies in the folder: names and bytes.
  std::vector<std::pair<std::string, std::string>> (*beside)() = nullptr;
  // A file of this kind made of that JSON text; null: the kind holds no JSON. An empty `json` is given for none.
  std::string (*of_json)(const std::string& json) = nullptr;
  std::string (*small_json)() = nullptr;  // what of_json() makes the small file of: an object
  // The kinds of wrong_kinds.h that it may read, blanks between; "all".
  const char* reads = "";
  // Why a file that was cut short may be read as a whole one; "": every one is refused or says the same.
  const char* cut_unseen = "";
  // Why any text is one of its files; "": it refuses what is none.
  const char* any_text = "";
  // Why a file that is not there, or is none, is passed over; "": it is refused.
  const char* may_be_missing = "";
  // Why JSON that it passes over may hold keys twice and any number; "": none may.
  const char* passes_over = "";
  // It reads the numbers that are none as Python writes them, NaN and Infinity, where nothing that it uses is one.
  bool python_numbers = false;
  // What its refusals may say instead of the file's name.
  const char* says = "";
};

const std::vector<Reader>& readers();

// The parts of readers(), by what they read.
std::vector<Reader> array_readers();
std::vector<Reader> torch_readers();
std::vector<Reader> picture_readers();
std::vector<Reader> image_readers();
std::vector<Reader> request_readers();
std::vector<Reader> model_readers();
std::vector<Reader> capture_readers();
std::vector<Reader> corpus_readers();
std::vector<Reader> tokenizer_readers();
std::vector<Reader> window_readers();

// Shape and every value, exactly.
std::string text_of(const Tensor& tensor);

// gtest shows a row by its name.
inline void PrintTo(const Reader& reader, std::ostream* out) {
  *out << reader.name;
}

}  // namespace headscope::test
