#include "tests/faults/wrong_kinds.h"

#include <random>
#include <sstream>

#include "core/base/image.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "tests/core/io/npz_files.h"

namespace headscope::test {

namespace {

Tensor square() {
  return Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 2, 3, 4});
}

std::string npy() {
  std::ostringstream out;
  write_npy(out, square());
  return out.str();
}

std::string safetensors() {
  const Tensor tensor = square();
  std::ostringstream out;
  write_safetensors(out, {{"something", &tensor}}, {});
  return out.str();
}

std::string picture() {
  std::ostringstream out;
  write_png(out, Image(2, 2, {9, 9, 9, 255}), {});
  return out.str();
}

// What torch.save writes: a zip of a pickle.
std::string zip() {
  return zip_of({{"archive/data.pkl", std::string("\x80\x02}q\0.", 6)}, {"archive/version", "3\n"}});
}

std::string gzip() {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0", 23);
}

std::string pickle() {
  return std::string("\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01", 15) + "a\x94K\x01s.";
}

std::string utf16() {
  std::string text = "\xff\xfe";
  for (const char c : std::string("{\"phrase\": \"a\"}\r\n")) text += {c, '\0'};
  return text;
}

std::string noise() {
  std::mt19937 chance(7);
  std::string bytes;
  for (int k = 0; k < 300; ++k) bytes += static_cast<char>(chance() & 0xff);
  return bytes;
}

}  // namespace

const std::vector<WrongKind>& wrong_kinds() {
  static const std::vector<WrongKind> kinds = {
      {"empty", "", "", true},
      {"folder", "", "folder", false, true},
      {"NULs", std::string(64, '\0'), ""},
      {"text", "Once upon a time\nthere was a text.\n", "", true},
      {"HTML", "<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n", "HTML", true},
      {"LFS",
       "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24"
       "d17e2393\nsize 12345\n",
       "Git LFS", true},
      {"zip", zip(), "zip"},
      {"gzip", gzip(), "gzip"},
      {"pickle", pickle(), "pickle"},
      {"PNG", picture(), ""},
      {"SVG", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"></svg>\n", "", true},
      {"PDF", "%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n", "", true},
      {"JSON", "{\"title\": \"something\", \"list\": [1, 2]}\n", "", true},
      {"JSON_list", "[{\"a\": 1}, 2, \"three\"]\n", "", true},
      {"csv", "1,0.5\n-2,3e2\n", "", true},
      {"npy", npy(), ""},
      {"npz", zip_of({{"something.npy", npy()}}), "zip"},
      {"safetensors", safetensors(), ""},
      {"ELF",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0",
                   24),
       ""},
      {"UTF-16", utf16(), ""},
      {"noise", noise(), ""},
  };
  return kinds;
}

}  // namespace headscope::test
