"""Breaks the lab on purpose, each fault with the command that mends it."""

from lab import servers
from lab.errors import LabError
from lab.inside import places

# Marks our packet filter rules, so that `ok` finds them among Neutron's.
MARK = "nodewright-fault"
FILLER = "nodewright-filler"


def shell(script: str, *arguments: str) -> str:
    """Run a few lines of shell inside the lab, with arguments instead of substituted text."""
    return servers.ask("bash", "-euc", script, "fault", *arguments)


def process_of(server: servers.Server) -> str:
    answer = shell('cut -d" " -f1 "$1/pid" 2>/dev/null || true', server.directory).strip()
    if not answer:
        message = f"looking for the machine of {server.name}: it does not run"
        raise LabError(message)
    return answer


def kill(name: str) -> str:
    """The power fails: no service is asked, Nova finds out by itself."""
    server = servers.find(name)
    shell('kill -KILL "$1"', process_of(server))
    return f"{server.name} is dead; Nova notices within some seconds; mend: bin/lab openstack server start {name}"


def freeze(name: str) -> str:
    server = servers.find(name)
    shell('/opt/nodewright/lab/drivers/cgroup freeze "$1"', server.uuid)
    return f"{server.name} is frozen; mend: bin/lab fault thaw {name}"


def thaw(name: str) -> str:
    server = servers.find(name)
    shell('/opt/nodewright/lab/drivers/cgroup thaw "$1"', server.uuid)
    return f"{server.name} goes on"


def cut(name: str) -> str:
    """All cables out: the far end of each card, where the machine itself cannot undo it."""
    server = servers.find(name)
    set_cards(server, "down")
    return f"{server.name} is cut off; mend: bin/lab fault restore {name}"


def restore(name: str) -> str:
    server = servers.find(name)
    set_cards(server, "up")
    return f"{server.name} has its network back"


def set_cards(server: servers.Server, state: str) -> None:
    script = """
        for card in $(ip netns exec "$1" sh -c 'cat /sys/class/net/eth*/iflink'); do
            tap=$(ip -oneline link | awk -F'[:@ ]+' -v number="$card" '$1 == number { print $2 }')
            ip link set "$tap" "$2"
        done
    """
    shell(script, server.netns, state)


def fill(name: str) -> str:
    """The root file system is full to the last block; only the last bit is really written, the rest reserved."""
    server = servers.find(name)
    script = """
        cd "$1/disk"
        for part in 1 2 3 4 5; do
            blocks=$(stat -fc %a .) size=$(stat -fc %S .)
            [ "$blocks" -gt 0 ] || break
            fallocate -l $((blocks * size / 100 * 97 + size)) "$2.$part" 2>/dev/null || rm -f "$2.$part"
        done
        dd if=/dev/zero of="$2.rest" bs=4k 2>/dev/null || true
        sync "$2.rest"
    """
    shell(script, server.directory, FILLER)
    return f"the disk of {server.name} is full; mend: bin/lab fault free {name}"


def free(name: str) -> str:
    server = servers.find(name)
    shell('rm -f "$1/disk/$2".*', server.directory, FILLER)
    return f"the disk of {server.name} has room again"


def api(service: str, mode: str) -> str:
    """`error`: answers 503 to everybody, other services included. `hang`: packets vanish. `ok`: as it was."""
    if service not in places.API_PORTS:
        message = f"breaking an API: there is no service {service}; choose one of {', '.join(places.API_PORTS)}"
        raise LabError(message)
    port = str(places.API_PORTS[service])
    clear_api_rules(port)
    rule = ["-d", places.ADDRESS, "-p", "tcp", "--dport", port, "-m", "comment", "--comment", f"{MARK}-{port}"]
    if mode == "error":
        for chain in ("OUTPUT", "PREROUTING"):
            target = ["-j", "REDIRECT", "--to-ports", str(places.BROKEN_API_PORT)]
            servers.ask("iptables", "-t", "nat", "-I", chain, *rule, *target)
    if mode == "hang":
        servers.ask("iptables", "-I", "INPUT", *rule, "-j", "DROP")
    # Connections that are open already must meet the change, too.
    shell('conntrack -D -p tcp --dport "$1" >/dev/null 2>&1 || true', port)
    return f"{service}: {mode}" + ("" if mode == "ok" else f"; mend: bin/lab fault api {service} ok")


def clear_api_rules(port: str) -> None:
    script = """
        for table in filter nat; do
            iptables -w -t $table -S | grep -- "--comment $1 " | sed 's/^-A/-D/' | while read -r rule; do
                eval "iptables -w -t $table $rule"
            done
        done
    """
    shell(script, f"{MARK}-{port}")


def stick(volume: str) -> str:
    """The storage does not let go: a detach, or the delete of the server, waits."""
    shell('mkdir -p "$1"; touch "$1/$2"', str(places.STUCK_VOLUMES), volume)
    return f"volume {volume} sticks in detaching from now on; mend: bin/lab fault volume unstick {volume}"


def unstick(volume: str) -> str:
    shell('rm -f "$1/$2"', str(places.STUCK_VOLUMES), volume)
    return f"volume {volume} may go; a detach that waits goes on"
