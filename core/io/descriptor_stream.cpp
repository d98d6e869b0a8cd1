#include "core/io/descriptor_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/system/files.h"

namespace headscope {

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(std::size_t{1} << 18) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

bool DescriptorBuffer::write_all(const char* from, std::streamsize size) {
  constexpr std::streamsize most = std::streamsize{1} << 30;  // Linux writes at most 2 GiB at once
  while (size > 0 && error_ == 0) {
    const std::ptrdiff_t done = system::write_some(descriptor_, from, static_cast<std::size_t>(std::min(size, most)));
    if (done < 0) {
      if (errno != EINTR) error_ = errno;
    } else if (done == 0) {
      error_ = EIO;
    } else {
      from += done;
      size -= done;
      written_ += done;
    }
  }
  return error_ == 0;
}

bool DescriptorBuffer::flush_buffer() {
  const std::streamsize held = pptr() - pbase();
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return write_all(buffer_.data(), held);
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (!flush_buffer()) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  *pptr() = traits_type::to_char_type(c);
  pbump(1);
  return c;
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize size) {
  if (size <= epptr() - pptr()) {
    std::memcpy(pptr(), text, static_cast<std::size_t>(size));
    pbump(static_cast<int>(size));
    return size;
  }
  return flush_buffer() && write_all(text, size) ? size : 0;
}

int DescriptorBuffer::sync() {
  return flush_buffer() ? 0 : -1;
}

DescriptorBuffer::pos_type DescriptorBuffer::seekoff(off_type offset, std::ios_base::seekdir direction,
                                                     std::ios_base::openmode which) {
  const bool asks_where = offset == 0 && direction == std::ios_base::cur && (which & std::ios_base::out) != 0;
  return asks_where ? pos_type(written_ + (pptr() - pbase())) : pos_type(off_type(-1));
}

}  // namespace headscope
