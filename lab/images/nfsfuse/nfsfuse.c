// nfsfuse mounts an NFS export without the kernel's NFS client: libnfs talks to the server, FUSE shows the files.
//
//   mount.nfs SERVER:/EXPORT DIRECTORY [-o OPTION,...] [-r] [-f -n -s -v]
//
// It has mount.nfs's command line, so that mount(8) and the kubelet can use it without knowing. Of the options only
// `ro` and `rw` mean something. The protocol is always NFSv3, also when `vers=` or `nfsvers=` ask for another: writing
// and listing directories over NFSv4 do not work in libnfs 4.0. There are no locks across machines.

#define FUSE_USE_VERSION 31
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <nfsc/libnfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_USAGE = 1, EXIT_MOUNT_FAILED = 32 };  // as mount(8) documents them
enum { NFS_VERSION = 3 };

struct mount_request {
  const char *source;     // SERVER:/EXPORT as given
  const char *directory;
  char *server;
  const char *export_path;
  bool read_only;
};

static struct mount_request request;
static struct nfs_context *nfs;

// ---- connection

// libnfs calls this one instead of the C library's. A connection that is refused it tries again at once, which takes a
// whole processor for as long as the server is gone; and it has no setting for a pause. So the same address is tried
// once a second. (A mount goes to several addresses in turn and does not wait.)
int connect(int socket, const struct sockaddr *address, socklen_t length) {
  static struct sockaddr_storage last_address;
  static time_t last_try;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (length <= sizeof last_address) {
    if (now.tv_sec - last_try < 1 && memcmp(&last_address, address, length) == 0) {
      sleep(1);
      clock_gettime(CLOCK_MONOTONIC, &now);
    }
    memcpy(&last_address, address, length);
    last_try = now.tv_sec;
  }
  return (int)syscall(SYS_connect, socket, address, length);
}

static struct nfs_context *connect_to_server(void) {
  struct nfs_context *context = nfs_init_context();
  if (context == NULL) {
    return NULL;
  }
  nfs_set_version(context, NFS_VERSION);
  nfs_set_autoreconnect(context, -1);  // a hard mount: wait for the server for as long as it takes
  if (nfs_mount(context, request.server, request.export_path) != 0) {
    fprintf(stderr, "mount.nfs: mounting %s: %s\n", request.source, nfs_get_error(context));
    nfs_destroy_context(context);
    return NULL;
  }
  return context;
}

// A server that has just started says "try again" (-EAGAIN) to every change, until clients had time to reclaim their
// locks. Programs do not expect that of a file, so wait as the kernel's client does.
#define patiently(call)                      \
  ({                                         \
    int status_;                             \
    while ((status_ = (call)) == -EAGAIN) {  \
      sleep(1);                              \
    }                                        \
    status_;                                 \
  })

// The server must see the user who asked, not the user that this process runs as.
static void become_caller(void) {
  const struct fuse_context *caller = fuse_get_context();
  nfs_set_uid(nfs, (int)caller->uid);
  nfs_set_gid(nfs, (int)caller->gid);
}

static struct nfsfh *handle_of(const struct fuse_file_info *info) {
  return (struct nfsfh *)(uintptr_t)info->fh;
}

// ---- names and attributes

static void copy_attributes(const struct nfs_stat_64 *from, struct stat *to) {
  memset(to, 0, sizeof *to);
  to->st_dev = from->nfs_dev;
  to->st_ino = from->nfs_ino;
  to->st_mode = (mode_t)from->nfs_mode;
  to->st_nlink = from->nfs_nlink;
  to->st_uid = (uid_t)from->nfs_uid;
  to->st_gid = (gid_t)from->nfs_gid;
  to->st_size = (off_t)from->nfs_size;
  to->st_blksize = (blksize_t)from->nfs_blksize;
  to->st_blocks = (blkcnt_t)from->nfs_blocks;
  to->st_atim = (struct timespec){(time_t)from->nfs_atime, (long)from->nfs_atime_nsec};
  to->st_mtim = (struct timespec){(time_t)from->nfs_mtime, (long)from->nfs_mtime_nsec};
  to->st_ctim = (struct timespec){(time_t)from->nfs_ctime, (long)from->nfs_ctime_nsec};
}

static int on_getattr(const char *path, struct stat *result, struct fuse_file_info *info) {
  (void)info;
  struct nfs_stat_64 attributes;
  become_caller();
  int error = nfs_lstat64(nfs, path, &attributes);
  if (error == 0) {
    copy_attributes(&attributes, result);
  }
  return error;
}

static int on_chmod(const char *path, mode_t mode, struct fuse_file_info *info) {
  (void)info;
  become_caller();
  return patiently(nfs_chmod(nfs, path, (int)(mode & 07777)));
}

static int on_chown(const char *path, uid_t owner, gid_t group, struct fuse_file_info *info) {
  (void)info;
  become_caller();
  if (owner == (uid_t)-1 || group == (gid_t)-1) {  // -1 means "leave it", which NFSv3 cannot say
    struct nfs_stat_64 attributes;
    int error = nfs_lstat64(nfs, path, &attributes);
    if (error != 0) {
      return error;
    }
    owner = owner == (uid_t)-1 ? (uid_t)attributes.nfs_uid : owner;
    group = group == (gid_t)-1 ? (gid_t)attributes.nfs_gid : group;
  }
  return patiently(nfs_lchown(nfs, path, (int)owner, (int)group));
}

static int on_utimens(const char *path, const struct timespec wanted[2], struct fuse_file_info *info) {
  (void)info;
  struct nfs_stat_64 attributes;
  struct timeval times[2];
  become_caller();
  int error = nfs_lstat64(nfs, path, &attributes);
  if (error != 0) {
    return error;
  }
  const struct timeval current[2] = {
      {(time_t)attributes.nfs_atime, (suseconds_t)(attributes.nfs_atime_nsec / 1000)},
      {(time_t)attributes.nfs_mtime, (suseconds_t)(attributes.nfs_mtime_nsec / 1000)},
  };
  for (int i = 0; i < 2; i++) {
    if (wanted[i].tv_nsec == UTIME_NOW) {
      gettimeofday(&times[i], NULL);
    } else if (wanted[i].tv_nsec == UTIME_OMIT) {
      times[i] = current[i];
    } else {
      times[i] = (struct timeval){wanted[i].tv_sec, wanted[i].tv_nsec / 1000};
    }
  }
  return patiently(nfs_utimes(nfs, path, times));
}

static int on_readlink(const char *path, char *target, size_t size) {
  become_caller();
  int length = nfs_readlink(nfs, path, target, (int)size - 1);
  if (length < 0) {
    return length;
  }
  target[size - 1] = '\0';
  return 0;
}

static int on_statfs(const char *path, struct statvfs *result) {
  become_caller();
  return nfs_statvfs(nfs, path, result);
}

// ---- directories and links

static int on_mkdir(const char *path, mode_t mode) {
  become_caller();
  return patiently(nfs_mkdir2(nfs, path, (int)mode));
}

static int on_rmdir(const char *path) {
  become_caller();
  return patiently(nfs_rmdir(nfs, path));
}

static int on_unlink(const char *path) {
  become_caller();
  return patiently(nfs_unlink(nfs, path));
}

static int on_symlink(const char *target, const char *path) {
  become_caller();
  return patiently(nfs_symlink(nfs, target, path));
}

static int on_link(const char *from, const char *to) {
  become_caller();
  return patiently(nfs_link(nfs, from, to));
}

static int on_rename(const char *from, const char *to, unsigned int flags) {
  if (flags != 0) {  // neither "no replace" nor "exchange" exist in NFSv3
    return -EINVAL;
  }
  become_caller();
  return patiently(nfs_rename(nfs, from, to));
}

static int on_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                      enum fuse_readdir_flags flags) {
  (void)offset;
  (void)info;
  (void)flags;
  struct nfsdir *directory;
  become_caller();
  int error = nfs_opendir(nfs, path, &directory);
  if (error != 0) {
    return error;
  }
  const struct nfsdirent *entry;
  while ((entry = nfs_readdir(nfs, directory)) != NULL) {
    struct stat attributes = {.st_ino = entry->inode, .st_mode = entry->mode};
    fill(buffer, entry->name, &attributes, 0, 0);
  }
  nfs_closedir(nfs, directory);
  return 0;
}

// ---- contents

static int on_open(const char *path, struct fuse_file_info *info) {
  struct nfsfh *handle;
  become_caller();
  int error = patiently(nfs_open(nfs, path, info->flags & (O_ACCMODE | O_TRUNC), &handle));
  if (error == 0) {
    info->fh = (uintptr_t)handle;
  }
  return error;
}

static int on_create(const char *path, mode_t mode, struct fuse_file_info *info) {
  struct nfsfh *handle;
  int flags = O_RDWR | O_CREAT | (info->flags & (O_EXCL | O_TRUNC));
  become_caller();
  int error = patiently(nfs_open2(nfs, path, flags, (int)(mode & 07777), &handle));
  if (error == 0) {
    info->fh = (uintptr_t)handle;
  }
  return error;
}

static int on_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)path;
  return nfs_pread(nfs, handle_of(info), (uint64_t)offset, size, buffer);
}

static int on_write(const char *path, const char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)path;
  return patiently(nfs_pwrite(nfs, handle_of(info), (uint64_t)offset, size, (void *)buffer));
}

static int on_truncate(const char *path, off_t length, struct fuse_file_info *info) {
  become_caller();
  return patiently(info != NULL ? nfs_ftruncate(nfs, handle_of(info), (uint64_t)length)
                                : nfs_truncate(nfs, path, (uint64_t)length));
}

static int on_fsync(const char *path, int data_only, struct fuse_file_info *info) {
  (void)path;
  (void)data_only;
  return patiently(nfs_fsync(nfs, handle_of(info)));
}

static int on_release(const char *path, struct fuse_file_info *info) {
  (void)path;
  nfs_close(nfs, handle_of(info));
  return 0;
}

// ---- mount

// Runs in the process that stays: a connection made before FUSE forks into the background would be shared with, and
// closed by, the parent.
static void *on_init(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->use_ino = 1;
  config->attr_timeout = 1;
  config->entry_timeout = 1;
  config->negative_timeout = 0;  // what another machine just created must be found at once
  nfs = connect_to_server();
  if (nfs == NULL) {
    exit(EXIT_MOUNT_FAILED);
  }
  return NULL;
}

static const struct fuse_operations operations = {
    .init = on_init,
    .getattr = on_getattr,
    .chmod = on_chmod,
    .chown = on_chown,
    .utimens = on_utimens,
    .readlink = on_readlink,
    .statfs = on_statfs,
    .mkdir = on_mkdir,
    .rmdir = on_rmdir,
    .unlink = on_unlink,
    .symlink = on_symlink,
    .link = on_link,
    .rename = on_rename,
    .readdir = on_readdir,
    .open = on_open,
    .create = on_create,
    .read = on_read,
    .write = on_write,
    .truncate = on_truncate,
    .fsync = on_fsync,
    .release = on_release,
};

static void read_options(char *options) {
  for (char *option = strtok(options, ","); option != NULL; option = strtok(NULL, ",")) {
    if (strcmp(option, "ro") == 0) {
      request.read_only = true;
    } else if (strcmp(option, "rw") == 0) {
      request.read_only = false;
    }
  }
}

static bool read_arguments(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "-o") == 0 && i + 1 < count) {
      read_options(arguments[++i]);
    } else if (strcmp(arguments[i], "-r") == 0) {
      request.read_only = true;
    } else if (arguments[i][0] == '-') {
      continue;  // verbosity and the like
    } else if (request.source == NULL) {
      request.source = arguments[i];
    } else {
      request.directory = arguments[i];
    }
  }
  const char *separator = request.source == NULL ? NULL : strstr(request.source, ":/");
  if (separator == NULL || request.directory == NULL) {
    return false;
  }
  request.server = strndup(request.source, (size_t)(separator - request.source));
  request.export_path = separator + 1;
  return request.server != NULL;
}

// FUSE reports nothing to the caller once it is in the background, and mount(8) expects an answer: try first.
static bool server_answers(void) {
  struct nfs_context *trial = connect_to_server();
  if (trial == NULL) {
    return false;
  }
  nfs_destroy_context(trial);
  return true;
}

int main(int count, char **arguments) {
  if (!read_arguments(count, arguments)) {
    fprintf(stderr, "usage: mount.nfs SERVER:/EXPORT DIRECTORY [-o OPTION,...]\n");
    return EXIT_USAGE;
  }
  if (!server_answers()) {
    return EXIT_MOUNT_FAILED;
  }
  char *options;
  if (asprintf(&options, "allow_other,default_permissions,subtype=nfs,fsname=%s%s", request.source,
               request.read_only ? ",ro" : "") < 0) {
    return EXIT_MOUNT_FAILED;
  }
  // One thread: a libnfs context must not be used by two at a time.
  char *fuse_arguments[] = {arguments[0], "-s", "-o", options, (char *)request.directory, NULL};
  return fuse_main(5, fuse_arguments, &operations, NULL);
}
