#include "app/session/background/map_tiles.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "app/session/background/map_painter.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// Pictures that were wished for in earlier frames and are kept, beside those of this one.
constexpr std::size_t kMostKept = 24;
// Answers about pixels under the mouse.
constexpr std::size_t kMostChosen = 64;

bool is_whole(const MapQuery& query, const Tensor& matrix) {
  return query.rows == Range{0, matrix.dim(0)} && query.columns == Range{0, matrix.dim(1)};
}

}  // namespace

struct MapTiles::Impl {
  struct Wanted {
    MapQuery query;
    PyramidSource source;
    int order = 0;
    friend bool operator==(const Wanted& a, const Wanted& b) { return a.query == b.query; }
  };

  Impl(std::unique_ptr<Executor> on, std::function<void()> wake_by, const Options& how)
      : options(how),
        wake(std::move(wake_by)),
        tiles(how.tile_bytes),
        painter(tiles, how),
        finder(on->make_sibling()),
        executor(std::move(on)) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      wanted.clear();
      ending = true;
      token.cancel();
      finder_token.cancel();
    }
    finder.reset();
    executor.reset();
  }

  const MapPicture* picture_of(const MapQuery& query) const {
    for (const auto& picture : pictures) {
      if (picture->query == query) return picture.get();
    }
    return nullptr;
  }

  // What the worker is to do next: a first picture of each, then each to the end. With the mutex held.
  struct Task {
    Wanted wanted;
    bool coarse = false;
    friend bool operator==(const Task&, const Task&) = default;
  };
  std::optional<Task> next_task() const {
    for (const Wanted& each : wanted) {
      if (is_whole(each.query, each.source.matrix) && picture_of(each.query) == nullptr) return Task{each, true};
    }
    for (const Wanted& each : wanted) {
      const MapPicture* picture = picture_of(each.query);
      if (each.query.only_coarse) continue;
      if (picture == nullptr || (!picture->exact() && picture->failure.empty())) return Task{each, false};
    }
    return std::nullopt;
  }

  void keep(std::shared_ptr<const MapPicture> picture) {
    const std::lock_guard lock(mutex);
    std::erase_if(pictures, [&](const auto& old) { return old->query == picture->query; });
    pictures.push_front(std::move(picture));
    const auto is_wanted = [&](const MapQuery& query) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& each) { return each.query == query; });
    };
    std::size_t others = 0;
    std::erase_if(pictures, [&](const auto& each) { return !is_wanted(each->query) && ++others > kMostKept; });
    held_bytes = tiles.bytes();
    counts = painter.counts();
  }

  void work() {
    while (true) {
      Task task;
      CancelToken cancel;
      std::shared_ptr<const MapPicture> before;
      {
        const std::lock_guard lock(mutex);
        const auto next = ending ? std::nullopt : next_task();
        current = next;
        if (!next) {
          running = false;
          return;
        }
        task = *next;
        token = cancel;
        for (const auto& picture : pictures) {
          if (picture->query == task.wanted.query) before = picture;
        }
      }
      try {
        tiles.forget_others(task.wanted.query.key.version);
        if (task.coarse) {
          keep(painter.coarse(task.wanted.query, task.wanted.source, cancel));
          if (wake) wake();
        } else {
          painter.refine(task.wanted.query, task.wanted.source, before.get(), cancel, [&](auto picture) {
            keep(std::move(picture));
            if (wake) wake();
          });
        }
      } catch (const Cancelled&) {
      } catch (const std::exception& error) {
        auto failed = std::make_shared<MapPicture>();
        failed->query = task.wanted.query;
        failed->failure = error.what();
        keep(std::move(failed));
        if (wake) wake();
      }
    }
  }

  void look_up(const PyramidSource& source, Chosen answer, const CancelToken& cancel) {
    try {
      answer.cell = chosen_cell(source, answer.rows, answer.columns, cancel);
    } catch (const std::exception&) {
      return;  // cancelled, or the picture tells what is wrong
    }
    answer.known = true;
    {
      const std::lock_guard lock(mutex);
      answers.push_front(answer);
      if (answers.size() > kMostChosen) answers.pop_back();
    }
    if (wake) wake();
  }

  const Options options;
  const std::function<void()> wake;
  TileCache tiles;  // touched by work() only
  MapPainter painter;
  std::vector<Wanted> asked;  // in this frame; touched by the caller only

  mutable std::mutex mutex;
  std::vector<Wanted> wanted;
  std::deque<std::shared_ptr<const MapPicture>> pictures;  // newest first
  std::optional<Task> current;
  bool running = false, ending = false;
  CancelToken token, finder_token;
  std::deque<Chosen> answers;
  std::optional<Chosen> asking;
  std::int64_t held_bytes = 0;
  Counts counts;
  std::unique_ptr<Executor> finder, executor;  // last: they end before what their work uses
};

MapTiles::MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake, Options options)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake), options)) {}

MapTiles::MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : MapTiles(std::move(executor), std::move(wake), Options()) {}

MapTiles::~MapTiles() = default;

std::shared_ptr<const MapPicture> MapTiles::want(const MapQuery& query, const PyramidSource& source, int order) {
  const auto same = std::find_if(impl_->asked.begin(), impl_->asked.end(),
                                 [&](const Impl::Wanted& each) { return each.query == query; });
  if (same == impl_->asked.end()) {
    impl_->asked.push_back({query, source, order});
  } else {
    same->order = std::min(same->order, order);
  }
  const std::lock_guard lock(impl_->mutex);
  for (const auto& picture : impl_->pictures) {
    if (picture->query == query) return picture;
  }
  return nullptr;
}

void MapTiles::end_frame() {
  std::vector<Impl::Wanted> asked = std::exchange(impl_->asked, {});
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Impl::Wanted& a, const Impl::Wanted& b) { return a.order < b.order; });
  bool start = false;
  {
    const std::lock_guard lock(impl_->mutex);
    if (asked == impl_->wanted) return;
    impl_->wanted = std::move(asked);
    const auto next = impl_->next_task();
    if (impl_->running) {
      if (next != impl_->current) impl_->token.cancel();
    } else if (next) {
      impl_->running = start = true;
    }
  }
  if (start) impl_->executor->run([this] { impl_->work(); });
}

std::shared_ptr<const MapPicture> MapTiles::last_whole(const MapKey& key, const Tensor& matrix, Pooling pooling) const {
  const std::lock_guard lock(impl_->mutex);
  std::shared_ptr<const MapPicture> older;
  for (const auto& picture : impl_->pictures) {
    const MapKey& other = picture->query.key;
    if (other.stage != key.stage || other.batch != key.batch || other.slice != key.slice) continue;
    if (picture->query.pooling != pooling || !picture->failure.empty() || !is_whole(picture->query, matrix)) continue;
    if (other.version == key.version) return picture;
    if (!older) older = picture;
  }
  return older;
}

MapTiles::Chosen MapTiles::chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns) {
  Chosen asked{key, rows, columns, false, std::nullopt};
  const auto same = [&](const Chosen& other) {
    return other.key == key && other.rows == rows && other.columns == columns;
  };
  CancelToken cancel;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto known = std::find_if(impl_->answers.begin(), impl_->answers.end(), same);
    if (known != impl_->answers.end()) return *known;
    if (impl_->asking && same(*impl_->asking)) return asked;
    impl_->asking = asked;
    impl_->finder_token.cancel();
    impl_->finder_token = cancel;
  }
  impl_->finder->run([this, source, asked, cancel] { impl_->look_up(source, asked, cancel); });
  const std::lock_guard lock(impl_->mutex);
  const auto known = std::find_if(impl_->answers.begin(), impl_->answers.end(), same);
  return known != impl_->answers.end() ? *known : asked;
}

bool MapTiles::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running;
}

std::int64_t MapTiles::tile_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->held_bytes;
}

MapTiles::Counts MapTiles::counts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counts;
}

}  // namespace headscope
