import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;

// runner/files/sums.ts
import { createHash } from "node:crypto";
import { constants as constants2 } from "node:fs";
import { open as open2 } from "node:fs/promises";
import path2 from "node:path";
import { pipeline } from "node:stream/promises";

// runner/contract/errors.ts
var UserError = class extends Error {
  name = "UserError";
  /** Whether it is trouble outside that may pass: then the command line exits with 3, and another start may succeed. */
  passing;
  constructor(message, { passing = false, ...options } = {}) {
    super(message, options);
    this.passing = passing;
  }
};
function hasCode(error, ...codes) {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

// runner/files/kind.ts
function kindOf(found) {
  if (found.isFile()) return "a file";
  if (found.isDirectory()) return "a folder";
  if (found.isSymbolicLink()) return "a symbolic link";
  if (found.isFIFO()) return "a pipe";
  if (found.isSocket()) return "a socket";
  return "a device";
}

// runner/files/open-folder.ts
import { constants, existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import path from "node:path";
var hasDescriptorPaths = existsSync("/proc/self/fd/.");
async function inFolder(root, inside, { make = false }, work) {
  let named = root;
  let handle = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const name of inside) {
      const below = path.join(pathBy(handle.fd, named), name);
      named = path.join(named, name);
      if (make) await makeUnlessThere(below);
      const next = await openNoLink(below, named);
      await handle.close();
      handle = next;
    }
    return await work({ at: pathBy(handle.fd, named), path: named });
  } finally {
    await handle.close();
  }
}
function pathBy(descriptor, named) {
  return hasDescriptorPaths ? `/proc/self/fd/${descriptor}` : named;
}
async function makeUnlessThere(folder) {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
async function openNoLink(folder, named) {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (!hasCode(error, "ENOTDIR", "ELOOP")) throw error;
    throw new UserError(`${named} is no folder, or a symbolic link to one, which is not followed. Remove it.`);
  }
}

// runner/files/read.ts
var mostBytes = 256 * 1024 ** 2;

// runner/files/sums.ts
async function sumOfFileIn(root, name, signal) {
  const [file = "", ...folders] = name.split("/").reverse();
  try {
    return await inFolder(root, folders.reverse(), {}, async (folder) => {
      const flags = constants2.O_RDONLY | constants2.O_NOFOLLOW | constants2.O_NONBLOCK;
      const handle = await open2(path2.join(folder.at, file), flags);
      try {
        const found = await handle.stat();
        if (!found.isFile()) throw new UserError(`${path2.join(root, name)} is ${kindOf(found)}. Remove it.`);
        const hash = createHash("sha256");
        await pipeline(handle.createReadStream({ autoClose: false, highWaterMark: 2 ** 20 }), hash, { signal });
        return hash.digest("hex");
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    if (hasCode(error, "ELOOP")) {
      throw new UserError(`${path2.join(root, name)} is a symbolic link, which is not followed. Remove it.`);
    }
    throw error;
  }
}

// ../../tmp/h3-hash.ts
var before = process.cpuUsage();
var t = performance.now();
var sum = await sumOfFileIn("/tmp/h3-hash", "big");
var c = process.cpuUsage(before);
console.log(sum, "wall", (performance.now() - t) / 1e3, "cpu", (c.user + c.system) / 1e6, "rss", process.memoryUsage.rss() / 2 ** 20, process.resourceUsage().maxRSS / 1024);
//# sourceMappingURL=h3-hash.mjs.map
