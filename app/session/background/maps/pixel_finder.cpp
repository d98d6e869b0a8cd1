#include "app/session/background/maps/pixel_finder.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kMostAnswers = 64;

bool same(const ChosenPixel& one, const ChosenPixel& other) {
  return one.key == other.key && one.rows == other.rows && one.columns == other.columns;
}

}  // namespace

PixelFinder::PixelFinder(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : worker_(std::move(executor), std::move(wake),
              {[this] { return waiting_.has_value(); }, [this] { return take(); }}) {}

std::optional<ChosenPixel> PixelFinder::find(const ChosenPixel& asked) const {
  const auto known =
      std::find_if(answers_.begin(), answers_.end(), [&](const ChosenPixel& each) { return same(each, asked); });
  return known != answers_.end() ? std::optional(*known) : std::nullopt;
}

ChosenPixel PixelFinder::chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns) {
  const ChosenPixel asked{key, rows, columns, false, std::nullopt};
  {
    const auto lock = worker_.lock();
    if (const auto known = find(asked)) return *known;
    if (asking_ && same(*asking_, asked)) return asked;
    asking_ = asked;
    waiting_ = Query{asked, source};
    worker_.cancel();
  }
  worker_.start();
  const auto lock = worker_.lock();
  return find(asked).value_or(asked);
}

Worker::Piece PixelFinder::take() {
  return [this, wish = *std::exchange(waiting_, std::nullopt)](const CancelToken& cancel) {
    ChosenPixel answer = wish.pixel;
    try {
      answer.cell = chosen_cell(wish.source, answer.rows, answer.columns, cancel);
    } catch (const std::exception&) {
      return;  // cancelled, or the picture tells what is wrong
    }
    answer.known = true;
    {
      const auto lock = worker_.lock();
      answers_.push_front(answer);
      if (answers_.size() > kMostAnswers) answers_.pop_back();
    }
    worker_.wake();
  };
}

}  // namespace headscope
