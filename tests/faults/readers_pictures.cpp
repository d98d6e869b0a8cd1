// Pictures, and the sessions and recipes that are read from files of every kind.
#include <fmt/format.h>

#include <sstream>

#include "app/session/documents.h"
#include "app/session/session_paths.h"
#include "core/base/image.h"
#include "core/export/recipe_weights.h"
#include "core/export/session_file.h"
#include "core/io/page_recipe.h"
#include "core/io/pdf.h"
#include "core/io/png.h"
#include "tests/core/export/small_export.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string png_of(const std::string& recipe) {
  std::ostringstream out;
  write_png(out, Image(3, 2, {1, 200, 3, 255}), {{"headscope", recipe}});
  return out.str();
}

std::string small_session() {
  return R"({"headscope":"1","phrase":"a b","heads":2,"d_model":8,"mask":"causal","mask_fill":-1e4,)"
         R"("view":{"view":"head","head":1,"range":[0,0.5]},"window":{"log_scale":true},)"
         R"("used_weights":{"layers":1,"whole":false,"sha256":"ab","words_sha256":"cd"}})";
}

std::string small_png() {
  return png_of(R"({"phrase":"a b","heads":2})");
}

std::string svg_of(const std::string& recipe) {
  std::string text;
  for (const char c : recipe) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"2\" height=\"2\">\n<metadata id=\"headscope\">" + text +
         "</metadata>\n</svg>\n";
}

std::string page_of(const std::string& recipe) {
  return std::string(kPageStart) + "<script type=\"application/json\" id=\"headscope\">" + recipe + "</script>\n" +
         std::string(kPageEnd);
}

// An empty page, as Cairo writes its pages.
std::string small_pdf() {
  std::string pdf = "%PDF-1.4\n";
  std::vector<std::size_t> places;
  for (const char* object :
       {"<< /Type /Catalog\n   /Pages 2 0 R\n>>", "<< /Type /Pages\n   /Kids [ ]\n   /Count 0\n>>"}) {
    places.push_back(pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", places.size(), object);
  }
  const std::size_t table = pdf.size();
  pdf += "xref\n0 3\n0000000000 65535 f \n";
  for (const std::size_t place : places) pdf += fmt::format("{:010} 00000 n \n", place);
  pdf += fmt::format("trailer\n<< /Size 3\n   /Root 1 0 R\n>>\nstartxref\n{}\n%%EOF\n", table);
  return pdf_with_recipe(pdf, R"({"phrase":"a","heads":2})");
}

std::string pictures_text_of(const SessionFile& file) {
  std::string text = session_json(file.request, file.view, file.window) + file.weights_sha256;
  if (file.against) text += request_json(*file.against);
  return text;
}

std::string pictures_text_of(const RecipeWeights& weights) {
  std::string text = weights.sha256;
  if (weights.used) text += std::to_string(weights.used->layers) + weights.used->sha256 + weights.used->words_sha256;
  return text;
}

std::string read_a_session(const std::string& path) {
  return pictures_text_of(read_session(path));
}

std::string read_pixels(const std::string& path) {
  const Image image = read_png(path);
  std::string text = std::to_string(image.width) + "x" + std::to_string(image.height);
  for (const Rgba& pixel : image.pixels) {
    for (const int part : {pixel.r, pixel.g, pixel.b, pixel.a}) text += " " + std::to_string(part);
  }
  return text;
}

std::string read_texts(const std::string& path) {
  const PngInfo info = read_png_info(path);
  std::string text = std::to_string(info.width) + "x" + std::to_string(info.height);
  for (const auto& [key, value] : info.texts) text += "\n" + key + "=" + value;
  return text;
}

std::string open_any(const std::string& path) {
  const Document document = open_document(path, small_request(), ViewState());
  return session_json(document.request, std::nullopt) + document.title;
}

std::string small_manifest() {
  return R"({"headscope":"1","request":{"phrase":"a b","heads":2},"stages":[{"stage":"query","shape":[1,2,2,4]}]})";
}

std::string small_recipe() {
  return R"({"phrase":"a b","heads":2})";
}

// A document that is text, with a recipe inside.
template <std::string (*OfJson)(const std::string&)>
Reader recipe_in(const char* name, const char* file, const char* covers) {
  return {.name = name,
          .covers = covers,
          .file = file,
          .small = [] { return OfJson(small_recipe()); },
          .read = read_a_session,
          .fuzz = "recipes session_files",
          .of_json = OfJson,
          .small_json = small_recipe};
}

}  // namespace

std::vector<Reader> picture_readers() {
  return {
      {.name = "session",
       .covers = "read_session parse_session read_session_with_paths parse_strict_json core/export/session_file.cpp "
                 "read_recipe_weights parse_recipe_weights read_session_text core/export/session_text.cpp",
       .file = "x.json",
       .small = small_session,
       .read =
           [](const std::string& path) {
             return pictures_text_of(read_session_with_paths(path)) + pictures_text_of(read_recipe_weights(path));
           },
       .fuzz = "session session_files",
       .of_json = [](const std::string& json) { return json; },
       .small_json = small_session},
      {.name = "manifest",
       .covers = "read_session",
       .file = "manifest.json",
       .small = small_manifest,
       .read = read_a_session,
       .fuzz = "session session_files",
       .of_json = [](const std::string& json) { return json; },
       .small_json = small_manifest},
      {.name = "recipe_in_png",
       .covers = "read_session read_png_info parse_png_info core/io/png_texts.cpp",
       .file = "x.png",
       .small = small_png,
       .read = [](const std::string& path) { return read_a_session(path) + read_texts(path); },
       .fuzz = "png session_files"},
      recipe_in<svg_of>("recipe_in_svg", "x.svg", "read_session svg_recipe"),
      recipe_in<page_of>("recipe_in_page", "x.html", "read_session page_recipe core/io/page_recipe.cpp"),
      {.name = "recipe_in_pdf",
       .covers = "read_session pdf_recipe",
       .file = "x.pdf",
       .small = small_pdf,
       .read = read_a_session,
       .fuzz = "recipes session_files"},
      {.name = "png",
       .covers = "read_png parse_png core/io/png_read.cpp",
       .file = "x.png",
       .small = small_png,
       .read = read_pixels,
       .fuzz = "png",
       .reads = "PNG"},
      {.name = "document",
       .covers = "open_document app/session/documents.cpp app/session/file_kind.cpp app/session/capture_kind.cpp "
                 "open_session_text",
       .file = "x",
       .small = small_session,
       .read = open_any,
       .fuzz = "session_files",
       .reads = "npy"},
  };
}

}  // namespace headscope::test
