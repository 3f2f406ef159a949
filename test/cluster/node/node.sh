#!/bin/bash
# Process 1 of the node: sets up its network and its mounts, starts the programs of Kubernetes, and ends when its stdin
# is closed or with SIGTERM. The kernel then ends everything that runs in the node. It needs new mount, process, network,
# host name and IPC namespaces.
#
#   node.sh STATE ADDRESS NAME POD_RANGE SERVICE_RANGE PACKAGES NODE_JS
set -euo pipefail
state=$1 address=$2 name=$3 pods=$4 services=$5 packages=$6 node_js=$7
trap 'exit 0' TERM INT
exec 3<&0

hostname "$name"
mount --make-rshared /
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/containerd /run/lock /run/netns
# The node finds the Debian packages as if they were installed.
for folder in /usr /etc; do mount -t overlay -o "lowerdir=$packages$folder:$folder" overlay "$folder"; done
mount --bind "$state/pod-log" /var/log
# kubelet and the network plugins have fixed folders here, which must not appear on the machine.
mount -t overlay -o "lowerdir=/var/lib,upperdir=$state/var-lib/upper,workdir=$state/var-lib/work" overlay /var/lib
mount --bind "$state/volumes" /mnt
mount --bind "$state/resolv.conf" /etc/resolv.conf
(cd "$state/kernel" && find . -type f) | while read -r file; do mount --bind "$state/kernel/$file" "/proc/sys/$file"; done

# The default route leads nowhere: no packet leaves the node.
ip link set lo up
ip link add node0 type bridge
ip address add "$address/24" dev node0
ip link set node0 up
ip route add default via "${address%.*}.1" dev node0
echo 1 >/proc/sys/net/ipv4/ip_forward

start() { # NAME COMMAND…
  local log=$state/log/$1.log
  shift
  "$@" </dev/null >>"$log" 2>&1 &
}
await() { # COMMAND…
  for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep .1; done
  echo "no success in time: $*"
  exit 1
}

start etcd etcd --data-dir "$state/etcd" --unsafe-no-fsync \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
  --initial-cluster default=http://127.0.0.1:2380
start containerd containerd --config "$state/containerd.toml"
await curl -fsS -m 2 http://127.0.0.1:2379/health
start kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$address" --secure-port=6443 \
  --cert-dir="$state/pki" --token-auth-file="$state/pki/tokens.csv" --authorization-mode=RBAC \
  --service-cluster-ip-range="$services" --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file="$state/pki/service-accounts.key" \
  --service-account-signing-key-file="$state/pki/service-accounts.key" \
  --kubelet-preferred-address-types=InternalIP --allow-privileged
await kubectl --kubeconfig "$state/kubeconfig" get --raw /readyz
start kube-controller-manager kube-controller-manager --kubeconfig="$state/kubeconfig" --leader-elect=false \
  --bind-address=127.0.0.1 --service-account-private-key-file="$state/pki/service-accounts.key" \
  --root-ca-file="$state/pki/apiserver.crt" --allocate-node-cidrs --cluster-cidr="$pods" --node-cidr-mask-size=24
start kube-scheduler kube-scheduler --kubeconfig="$state/kubeconfig" --leader-elect=false --bind-address=127.0.0.1
await ctr --address /run/containerd/containerd.sock version
ctr --address /run/containerd/containerd.sock --namespace k8s.io images import "$state/pause.tar"
start kubelet kubelet --config="$state/kubelet.yaml" --kubeconfig="$state/kubeconfig" --hostname-override="$name" \
  --node-ip="$address" --root-dir="$state/kubelet" --cert-dir="$state/pki/kubelet"
start kube-proxy kube-proxy --config="$state/kube-proxy.yaml"
NODE_EXTRA_CA_CERTS=$state/pki/apiserver.crt start network-policies "$node_js" "${BASH_SOURCE[0]%/*}/enforce-policies.ts"
await kubectl --kubeconfig "$state/kubeconfig" wait --for=condition=Ready "node/$name" --timeout=60s
touch "$state/started"

# Both a signal and the end of stdin end the wait.
cat <&3 &
wait $!
