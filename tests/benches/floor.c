/* The floor of a hook: read standard input, connect, write one line, read one line, print it.
 * Statically linked, nothing else. What a real client costs is compared with this. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    ssize_t n;
    size_t length = 0;
    int s;

    if (argc < 2 || strlen(argv[1]) >= sizeof address.sun_path)
        return 1;
    strcpy(address.sun_path, argv[1]);
    while (length < sizeof buffer - 1 &&
           (n = read(0, buffer + length, sizeof buffer - 1 - length)) > 0)
        length += n;
    for (size_t i = 0; i < length; i++)
        if (buffer[i] == '\n')
            buffer[i] = ' ';
    buffer[length++] = '\n';
    s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&address, sizeof address) != 0)
        return 1;
    if (write(s, buffer, length) != (ssize_t)length)
        return 1;
    length = 0;
    do {
        n = read(s, buffer + length, sizeof buffer - length);
        if (n <= 0)
            return 1;
        length += n;
    } while (buffer[length - 1] != '\n');
    return write(1, buffer, length) == (ssize_t)length ? 0 : 1;
}
