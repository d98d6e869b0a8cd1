// How large files will be, for the dialog: written to nowhere while they are small, else a part of them.
#include <algorithm>
#include <map>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "app/session/export/export_parts.h"
#include "core/export/recipe.h"
#include "core/io/csv.h"
#include "core/io/png.h"

namespace headscope {

namespace {

constexpr std::int64_t kMostPixels = 3'000'000;  // which are compressed to know their size
constexpr std::int64_t kBands = 6, kMostRows = 1024;

// Takes bytes and counts them.
class CountingBuffer : public std::streambuf {
 public:
  std::int64_t count() const { return count_; }

 protected:
  int_type overflow(int_type c) override {
    ++count_;
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char*, std::streamsize size) override {
    count_ += size;
    return size;
  }

 private:
  std::int64_t count_ = 0;
};

template <typename Write>
std::int64_t counted(const Write& write) {
  CountingBuffer buffer;
  std::ostream out(&buffer);
  write(out);
  return buffer.count();
}

// Bands of rows spread over the picture, one below the other.
PictureRows some_rows(const PictureRows& picture, std::int64_t band) {
  PictureRows some = picture;
  some.height = static_cast<int>(kBands * band);
  some.rows_at_once = static_cast<int>(band);
  const auto there = [band, height = picture.height](Range part) {
    const std::int64_t begin = part.begin / band * (height - band) / (kBands - 1) + part.begin % band;
    return Range{begin, begin + part.size()};
  };
  some.load = [load = picture.load, there](Range part) { load(there(part)); };
  some.draw = [draw = picture.draw, there](Range part, Image& into) { draw(there(part), into); };
  return some;
}

std::int64_t png_bytes(const PictureRows& picture, const std::map<std::string, std::string>& recipe) {
  const std::int64_t pixels = std::int64_t{picture.width} * picture.height;
  const std::int64_t band =
      std::min<std::int64_t>({kMostPixels / kBands / std::max(picture.width, 1), kMostRows, picture.rows_at_once});
  if (pixels <= kMostPixels || band < 1 || kBands * band >= picture.height) {
    return counted([&](std::ostream& out) { write_png(out, picture, recipe); });
  }
  const std::int64_t with_recipe =
      counted([&](std::ostream& out) { write_png(out, some_rows(picture, band), recipe); });
  const std::int64_t bare = counted([&](std::ostream& out) { write_png(out, some_rows(picture, band), {}); });
  return with_recipe - bare + bare * picture.height / (kBands * band);
}

}  // namespace

std::int64_t picture_bytes(const ExportChoice& choice, const FigureSource& source, const ViewSpec& spec) {
  const auto recipe =
      choice.recipe ? recipe_of(source, spec, "", {.stand_in = true}) : std::map<std::string, std::string>{};
  if (choice.format == ExportFile::png) return png_bytes(figure_rows(source, spec), recipe);
  const FigureDocument figure = choice.format == ExportFile::pdf ? figure_pdf(source, spec) : figure_svg(source, spec);
  return counted([&](std::ostream& out) { figure.write(out, recipe, {}); });
}

std::int64_t csv_bytes(const ExportChoice& choice, const FigureSource& source, const ViewState& view) {
  const bool computed = choice.subject == ExportSubject::difference || choice.subject == ExportSubject::sensitivity;
  if (computed) return cells_of(choice, source, view) * 11;  // a number of seven digits; it is not computed twice
  const NamedMatrix one = matrix_of(choice, source, view, {});
  const std::int64_t rows = one.values.dim(0), columns = one.values.dim(1);
  const std::int64_t step = std::max<std::int64_t>(1, rows / 32);
  std::vector<float> values(static_cast<std::size_t>(columns));
  std::int64_t bytes = 0, read = 0;
  for (std::int64_t row = 0; row < rows; row += step, ++read) {
    one.values.read({{row, row + 1}, {0, columns}}, values);
    for (const float value : values) bytes += std::ssize(number_text(value)) + 1;
  }
  std::int64_t names = std::ssize(csv_field(one.corner)) + 1;
  for (const std::string& name : one.rows) names += std::ssize(csv_field(name)) + 1;
  for (const std::string& name : one.columns) names += std::ssize(csv_field(name)) + 1;
  return names + (read > 0 ? bytes * rows / read : 0);
}

}  // namespace headscope
