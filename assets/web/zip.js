// ZIP archives whose files are stored as they are.
(() => {
  const table = new Uint32Array(256).map((_, n) => {
    for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
  });
  const crc32 = bytes => {
    let sum = ~0;
    for (const byte of bytes) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
    return ~sum >>> 0;
  };
  // Numbers as [bytes, value], the lowest byte first.
  const packed = numbers => {
    const bytes = [];
    for (const pair of numbers) for (let k = 0; k < pair[0]; ++k) bytes.push(Math.floor(pair[1] / 256 ** k) & 255);
    return new Uint8Array(bytes);
  };

  // The archive of files {name, bytes}, as parts of a Blob.
  Module.zipOf = files => {
    const parts = [], directory = [];
    const now = new Date();
    const time = now.getHours() << 11 | now.getMinutes() << 5 | now.getSeconds() >> 1;
    const date = now.getFullYear() - 1980 << 9 | now.getMonth() + 1 << 5 | now.getDate();
    let at = 0;
    const add = bytes => {
      parts.push(bytes);
      at += bytes.length;
    };
    for (const file of files) {
      const words = new TextEncoder().encode(file.name), bytes = file.bytes, size = bytes.length;
      // Version 2.0, names in UTF-8, stored.
      const facts = [[2, 20], [2, 0x800], [2, 0], [2, time], [2, date], [4, crc32(bytes)], [4, size], [4, size],
                     [2, words.length], [2, 0]];
      directory.push({entry: packed([[4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), words});
      add(packed([[4, 0x04034b50], ...facts]));
      add(words);
      add(bytes);
    }
    const begin = at;
    for (const each of directory) {
      add(each.entry);
      add(each.words);
    }
    add(packed([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, at - begin], [4, begin], [2, 0]]));
    return parts;
  };
})();
