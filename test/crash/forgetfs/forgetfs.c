/*
 * A file system in memory that forgets. Every file and directory has two versions: what processes see, and what a
 * sync has made certain. Writing to the file ".forget" in its root is the power cut:
 *   "all"     everything that was not synced is gone
 *   a number  a seed: each un-synced page is kept or lost at random, names are all kept or all lost
 * No process may have files open at that moment; kill the writers first.
 *
 * One thread (-s), no caches that outlive an open, so no locks and no invalidation are needed here.
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fuse.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PAGE 4096
#define CONTROL "/.forget"

struct bytes {
  char *at;
  size_t size, room;
};

struct entry {
  char *name;
  struct node *node;
};

struct names {
  struct entry *at;
  size_t count, room;
};

struct node {
  ino_t ino;
  mode_t mode;
  struct timespec mtime;
  struct bytes seen, sure; /* of a file */
  size_t dirty_from, dirty_to;
  struct names names, sure_names; /* of a directory */
  int open;
  bool marked;
  struct node *next;
};

static struct node *nodes, *root;
static ino_t last_ino;

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

static struct node *new_node(mode_t mode) {
  struct node *node = must(calloc(1, sizeof *node));
  node->ino = ++last_ino;
  node->mode = mode;
  node->dirty_from = SIZE_MAX;
  clock_gettime(CLOCK_REALTIME, &node->mtime);
  node->next = nodes;
  nodes = node;
  return node;
}

/* ---- bytes ---- */

static void resize(struct bytes *bytes, size_t size) {
  if (size > bytes->room) {
    bytes->room = size * 2;
    bytes->at = must(realloc(bytes->at, bytes->room));
  }
  if (size > bytes->size) memset(bytes->at + bytes->size, 0, size - bytes->size);
  bytes->size = size;
}

static void touch(struct node *node, size_t from, size_t to) {
  if (from < node->dirty_from) node->dirty_from = from;
  if (to > node->dirty_to) node->dirty_to = to;
  clock_gettime(CLOCK_REALTIME, &node->mtime);
}

static void set_size(struct node *node, size_t size) {
  size_t old = node->seen.size;
  resize(&node->seen, size);
  touch(node, size < old ? size : old, size < old ? old : size);
}

static void sync_file(struct node *node) {
  resize(&node->sure, node->seen.size);
  size_t to = node->dirty_to < node->seen.size ? node->dirty_to : node->seen.size;
  if (node->dirty_from < to) {
    memcpy(node->sure.at + node->dirty_from, node->seen.at + node->dirty_from, to - node->dirty_from);
  }
  node->dirty_from = SIZE_MAX;
  node->dirty_to = 0;
}

/* ---- names ---- */

static struct entry *entry_of(struct names *names, const char *name, size_t length) {
  for (size_t i = 0; i < names->count; i++) {
    if (strlen(names->at[i].name) == length && memcmp(names->at[i].name, name, length) == 0) return &names->at[i];
  }
  return NULL;
}

static void put_name(struct names *names, const char *name, struct node *node) {
  struct entry *there = entry_of(names, name, strlen(name));
  if (there) {
    there->node = node;
    return;
  }
  if (names->count == names->room) {
    names->room = names->room * 2 + 8;
    names->at = must(realloc(names->at, names->room * sizeof *names->at));
  }
  names->at[names->count++] = (struct entry){must(strdup(name)), node};
}

static void drop_name(struct names *names, const char *name) {
  struct entry *there = entry_of(names, name, strlen(name));
  if (!there) return;
  free(there->name);
  *there = names->at[--names->count];
}

static void copy_names(struct names *to, const struct names *from) {
  for (size_t i = 0; i < to->count; i++) free(to->at[i].name);
  to->count = 0;
  for (size_t i = 0; i < from->count; i++) put_name(to, from->at[i].name, from->at[i].node);
}

static struct node *find(const char *path) {
  struct node *node = root;
  while (node && *path) {
    while (*path == '/') path++;
    size_t length = strcspn(path, "/");
    if (length == 0) break;
    if (!S_ISDIR(node->mode)) return NULL;
    struct entry *entry = entry_of(&node->names, path, length);
    node = entry ? entry->node : NULL;
    path += length;
  }
  return node;
}

/* The directory that a path's last name is in; the name itself goes to `name`. */
static struct node *parent_of(const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  char *head = must(strndup(path, (size_t)(slash - path)));
  struct node *parent = find(head);
  free(head);
  *name = slash + 1;
  return parent && S_ISDIR(parent->mode) ? parent : NULL;
}

/* ---- the power cut ---- */

static unsigned long long state;

static bool coin(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) & 1;
}

static void lose_pages(struct node *node, bool all) {
  if (node->dirty_from == SIZE_MAX) return;
  size_t size = all || coin() ? node->sure.size : node->seen.size;
  resize(&node->sure, size);
  resize(&node->seen, size);
  size_t to = node->dirty_to < size ? node->dirty_to : size;
  for (size_t page = node->dirty_from / PAGE * PAGE; page < to; page += PAGE) {
    size_t length = size - page < PAGE ? size - page : PAGE;
    if (all || coin()) memcpy(node->seen.at + page, node->sure.at + page, length);
    else memcpy(node->sure.at + page, node->seen.at + page, length);
  }
  node->dirty_from = SIZE_MAX;
  node->dirty_to = 0;
}

static void mark(struct node *node) {
  if (node->marked) return;
  node->marked = true;
  for (size_t i = 0; i < node->names.count; i++) mark(node->names.at[i].node);
}

static void free_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->at[i].name);
  free(names->at);
}

static void free_unreachable(void) {
  mark(root);
  for (struct node **link = &nodes; *link;) {
    struct node *node = *link;
    if (node->marked || node->open > 0) {
      node->marked = false;
      link = &node->next;
      continue;
    }
    *link = node->next;
    free(node->seen.at);
    free(node->sure.at);
    free_names(&node->names);
    free_names(&node->sure_names);
    free(node);
  }
}

static void forget(const char *how, size_t length) {
  char text[32] = {0};
  memcpy(text, how, length < sizeof text - 1 ? length : sizeof text - 1);
  bool all = strncmp(text, "all", 3) == 0;
  state = strtoull(text, NULL, 10) * 2654435761ULL + 1;
  for (int i = 0; i < 8; i++) coin();
  bool lose_names = all || coin();
  for (struct node *node = nodes; node; node = node->next) {
    if (S_ISREG(node->mode)) lose_pages(node, all);
    else if (lose_names) copy_names(&node->names, &node->sure_names);
    else copy_names(&node->sure_names, &node->names);
  }
  free_unreachable();
}

/* ---- what the kernel asks for ---- */

static struct node *node_of(const char *path, struct fuse_file_info *fi) {
  return fi && fi->fh ? (struct node *)(uintptr_t)fi->fh : find(path);
}

static int do_getattr(const char *path, struct stat *st, struct fuse_file_info *fi) {
  memset(st, 0, sizeof *st);
  st->st_nlink = 1;
  st->st_uid = getuid();
  st->st_gid = getgid();
  if (strcmp(path, CONTROL) == 0) {
    st->st_mode = S_IFREG | 0200;
    return 0;
  }
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  st->st_ino = node->ino;
  st->st_mode = node->mode;
  st->st_size = (off_t)node->seen.size;
  st->st_blocks = (blkcnt_t)((node->seen.size + 511) / 512);
  st->st_atim = st->st_mtim = st->st_ctim = node->mtime;
  return 0;
}

static int add(const char *path, mode_t mode, struct node **made) {
  const char *name;
  struct node *parent = parent_of(path, &name);
  if (!parent) return -ENOENT;
  if (entry_of(&parent->names, name, strlen(name))) return -EEXIST;
  struct node *node = new_node(mode);
  put_name(&parent->names, name, node);
  if (made) *made = node;
  return 0;
}

static int do_mkdir(const char *path, mode_t mode) { return add(path, S_IFDIR | (mode & 07777), NULL); }

static int do_create(const char *path, mode_t mode, struct fuse_file_info *fi) {
  struct node *node;
  int failed = add(path, S_IFREG | (mode & 07777), &node);
  if (failed) return failed;
  node->open++;
  fi->fh = (uintptr_t)node;
  return 0;
}

static int do_open(const char *path, struct fuse_file_info *fi) {
  if (strcmp(path, CONTROL) == 0) {
    fi->direct_io = 1;
    return 0;
  }
  struct node *node = find(path);
  if (!node) return -ENOENT;
  node->open++;
  fi->fh = (uintptr_t)node;
  if (fi->flags & O_TRUNC) set_size(node, 0);
  return 0;
}

static int do_release(const char *path, struct fuse_file_info *fi) {
  (void)path;
  if (fi->fh) ((struct node *)(uintptr_t)fi->fh)->open--;
  return 0;
}

static int do_read(const char *path, char *into, size_t size, off_t at, struct fuse_file_info *fi) {
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  if ((size_t)at >= node->seen.size) return 0;
  if (size > node->seen.size - (size_t)at) size = node->seen.size - (size_t)at;
  memcpy(into, node->seen.at + at, size);
  return (int)size;
}

static int do_write(const char *path, const char *from, size_t size, off_t at, struct fuse_file_info *fi) {
  if (path && strcmp(path, CONTROL) == 0) {
    forget(from, size);
    return (int)size;
  }
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  if ((size_t)at > node->seen.size) touch(node, node->seen.size, (size_t)at);
  if ((size_t)at + size > node->seen.size) resize(&node->seen, (size_t)at + size);
  memcpy(node->seen.at + at, from, size);
  touch(node, (size_t)at, (size_t)at + size);
  return (int)size;
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *fi) {
  if (strcmp(path, CONTROL) == 0) return 0;
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  set_size(node, (size_t)size);
  return 0;
}

static int do_fsync(const char *path, int data_only, struct fuse_file_info *fi) {
  (void)data_only;
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  sync_file(node);
  return 0;
}

static int do_fsyncdir(const char *path, int data_only, struct fuse_file_info *fi) {
  (void)data_only;
  (void)fi;
  struct node *node = find(path);
  if (!node) return -ENOENT;
  copy_names(&node->sure_names, &node->names);
  return 0;
}

static int do_remove(const char *path) {
  const char *name;
  struct node *parent = parent_of(path, &name);
  struct node *node = find(path);
  if (!parent || !node) return -ENOENT;
  if (S_ISDIR(node->mode) && node->names.count > 0) return -ENOTEMPTY;
  drop_name(&parent->names, name);
  return 0;
}

static int do_rename(const char *from, const char *to, unsigned int flags) {
  const char *from_name, *to_name;
  struct node *from_parent = parent_of(from, &from_name);
  struct node *to_parent = parent_of(to, &to_name);
  struct node *node = find(from);
  struct node *there = find(to);
  if (flags) return -EINVAL;
  if (!from_parent || !to_parent || !node) return -ENOENT;
  if (there && S_ISDIR(there->mode) && there->names.count > 0) return -ENOTEMPTY;
  put_name(&to_parent->names, to_name, node);
  drop_name(&from_parent->names, from_name);
  return 0;
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
                      enum fuse_readdir_flags flags) {
  (void)at;
  (void)fi;
  (void)flags;
  struct node *node = find(path);
  if (!node) return -ENOENT;
  fill(buffer, ".", NULL, 0, 0);
  fill(buffer, "..", NULL, 0, 0);
  for (size_t i = 0; i < node->names.count; i++) {
    struct stat st = {.st_ino = node->names.at[i].node->ino, .st_mode = node->names.at[i].node->mode};
    fill(buffer, node->names.at[i].name, &st, 0, 0);
  }
  return 0;
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *fi) {
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  node->mode = (node->mode & S_IFMT) | (mode & 07777);
  return 0;
}

static int do_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi) {
  (void)uid;
  (void)gid;
  return node_of(path, fi) ? 0 : -ENOENT;
}

static int do_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *fi) {
  struct node *node = node_of(path, fi);
  if (!node) return -ENOENT;
  node->mtime = times[1];
  return 0;
}

static int do_statfs(const char *path, struct statvfs *st) {
  (void)path;
  *st = (struct statvfs){.f_bsize = PAGE, .f_frsize = PAGE, .f_blocks = 1 << 20, .f_bfree = 1 << 19,
                         .f_bavail = 1 << 19, .f_files = 1 << 20, .f_ffree = 1 << 19, .f_namemax = 255};
  return 0;
}

static void *do_init(struct fuse_conn_info *conn, struct fuse_config *config) {
  (void)conn;
  config->use_ino = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->hard_remove = 1;
  return NULL;
}

static const struct fuse_operations operations = {
    .init = do_init,       .getattr = do_getattr,   .mkdir = do_mkdir,       .create = do_create,
    .open = do_open,       .release = do_release,   .read = do_read,         .write = do_write,
    .truncate = do_truncate, .fsync = do_fsync,     .fsyncdir = do_fsyncdir, .unlink = do_remove,
    .rmdir = do_remove,    .rename = do_rename,     .readdir = do_readdir,   .chmod = do_chmod,
    .chown = do_chown,     .utimens = do_utimens,   .statfs = do_statfs,
};

int main(int argc, char **argv) {
  root = new_node(S_IFDIR | 0700);
  return fuse_main(argc, argv, &operations, NULL);
}
