#include "app/session/background/maps/map_tiles.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "app/session/background/maps/map_painter.h"
#include "app/session/background/work/worker.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/io/mapping_guard.h"

namespace headscope {
namespace {

// Pictures that were wished for in earlier frames and are kept, beside those of this one.
constexpr std::size_t kMostKept = 24;

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

  Impl(std::unique_ptr<Executor> executor, const std::function<void()>& wake, const Options& how)
      : tiles(how.tile_bytes),
        painter(tiles, how),
        finder(executor->make_sibling(Load::light), wake),
        worker(std::move(executor), wake, {[this] { return next_task().has_value(); }, [this] { return take(); }}) {}

  const MapPicture* picture_of(const MapQuery& query) const {
    for (const auto& picture : pictures) {
      if (picture->query == query) return picture.get();
    }
    return nullptr;
  }

  // What the worker is to do next: a first picture of each, then each to the end. With the lock held.
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
    {
      const auto lock = worker.lock();
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
    worker.wake();
  }

  Worker::Piece take() {
    current = next_task();
    std::shared_ptr<const MapPicture> before;
    for (const auto& picture : pictures) {
      if (picture->query == current->wanted.query) before = picture;
    }
    return [this, task = *current, before](const CancelToken& cancel) {
      paint(task, before.get(), cancel);
      const auto lock = worker.lock();
      current.reset();
    };
  }

  void keep_if_unchanged(std::shared_ptr<const MapPicture> picture) {
    check_mapped_files();
    keep(std::move(picture));
  }

  void paint(const Task& task, const MapPicture* before, const CancelToken& cancel) {
    const MapQuery& query = task.wanted.query;
    const PyramidSource& source = task.wanted.source;
    try {
      tiles.forget_others(query.key.version);
      if (task.coarse) {
        keep_if_unchanged(painter.coarse(query, source, cancel));
      } else {
        painter.refine(query, source, before, cancel, [this](auto picture) { keep_if_unchanged(std::move(picture)); });
      }
    } catch (const Cancelled&) {
    } catch (const std::exception& error) {
      auto failed = std::make_shared<MapPicture>();
      failed->query = query;
      failed->failure = failure_words(error);
      keep(std::move(failed));
    }
  }

  // Touched by the pieces of work only.
  TileCache tiles;
  MapPainter painter;
  std::vector<Wanted> asked;  // in this frame; touched by the caller only
  // Behind the worker's lock.
  std::vector<Wanted> wanted;
  std::deque<std::shared_ptr<const MapPicture>> pictures;  // newest first
  std::optional<Task> current;
  std::int64_t held_bytes = 0;
  Counts counts;
  // Last: they end before what their work uses.
  PixelFinder finder;
  Worker worker;
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
  const auto lock = impl_->worker.lock();
  for (const auto& picture : impl_->pictures) {
    if (picture->query == query) return picture;
  }
  return nullptr;
}

void MapTiles::end_frame() {
  std::vector<Impl::Wanted> asked = std::exchange(impl_->asked, {});
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Impl::Wanted& a, const Impl::Wanted& b) { return a.order < b.order; });
  {
    const auto lock = impl_->worker.lock();
    if (asked == impl_->wanted) return;
    impl_->wanted = std::move(asked);
    if (impl_->next_task() != impl_->current) impl_->worker.cancel();
  }
  impl_->worker.start();
}

std::shared_ptr<const MapPicture> MapTiles::last_whole(const MapKey& key, const Tensor& matrix, Pooling pooling) const {
  const auto lock = impl_->worker.lock();
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

ChosenPixel MapTiles::chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns) {
  return impl_->finder.chosen(key, source, rows, columns);
}

bool MapTiles::busy() const {
  return impl_->worker.busy();
}

std::int64_t MapTiles::tile_bytes() const {
  const auto lock = impl_->worker.lock();
  return impl_->held_bytes;
}

MapTiles::Counts MapTiles::counts() const {
  const auto lock = impl_->worker.lock();
  return impl_->counts;
}

}  // namespace headscope
