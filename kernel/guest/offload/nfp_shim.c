/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A network device without a card, for the BPF part of the NFP driver. modules.sh links this file with the driver's own files, unmodified,
 * into nfp_oracle.ko. It provides what they need from the rest of the driver: a vNIC, a control channel on which every request succeeds,
 * and the capabilities that firmware bpf-2.0.6.124 reports. Every decision (maps, verifier, JIT, attach) is the driver's; no packet is ever
 * seen.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/version.h>

#include "nfp/bpf/fw.h"
#include "nfp/bpf/main.h"
#include "nfp/ccm.h"
#include "nfp/nfp_app.h"
#include "nfp/nfp_main.h"
#include "nfp/nfp_net.h"
#include "nfp/nfpcore/nfp.h"
#include "nfp/nfpcore/nfp_cpp.h"
#include "nfp/nfpcore/nfp_nffw.h"
#include "nfp/nfpcore/nfp_nsp.h"

#define CTRL_BAR_BYTES 0x10000

/* Unknown for this firmware: where in the instruction store a program is. Only branch targets depend on these. */
#define START_INSTRUCTION  0x100
#define DONE_INSTRUCTION   0x10
#define LOOKUP_INSTRUCTION 0x20
#define EVENT_INSTRUCTION  0x30

/* The store has 8192 words. How much of a packet is in the worker's memory depends on the card's configuration. */
static ushort max_instructions = 2800;
module_param(max_instructions, ushort, 0444);
MODULE_PARM_DESC(max_instructions, "longest program in NFP instructions");
static ushort inline_chunks = 32;
module_param(inline_chunks, ushort, 0444);
MODULE_PARM_DESC(inline_chunks, "INL_MTU: programs reach this many times 64 bytes, less 32, of a packet");
static ushort stack_chunks = 8;
module_param(stack_chunks, ushort, 0444);
MODULE_PARM_DESC(stack_chunks, "chunks of 64 bytes of a program's stack");

/* What the firmware exports as _abi_bpf_capabilities: type, length in bytes, value; little-endian words. */
static const u32 capabilities[] = {
	NFP_BPF_CAP_TYPE_FUNC,
	8,
	BPF_FUNC_map_lookup_elem,
	LOOKUP_INSTRUCTION,
	NFP_BPF_CAP_TYPE_FUNC,
	8,
	BPF_FUNC_perf_event_output,
	EVENT_INSTRUCTION,
	NFP_BPF_CAP_TYPE_ADJUST_HEAD,
	20,
	NFP_BPF_ADJUST_HEAD_NO_META,
	44,  /* smallest offset of the packet in its buffer */
	248, /* largest */
	84,  /* may always be added in front */
	112, /* may always be removed */
	NFP_BPF_CAP_TYPE_MAPS,
	24,
	BIT(BPF_MAP_TYPE_HASH) | BIT(BPF_MAP_TYPE_ARRAY),
	128,     /* maps */
	3072000, /* entries of all maps */
	56,      /* bytes of a key */
	56,      /* bytes of a value */
	64,      /* bytes of key and value, each rounded up to 8 */
	NFP_BPF_CAP_TYPE_RANDOM,
	0,
	NFP_BPF_CAP_TYPE_QUEUE_SELECT,
	0,
	NFP_BPF_CAP_TYPE_ADJUST_TAIL,
	0,
};

static struct {
	struct platform_device *dma; /* the driver maps images for this device */
	struct pci_dev *pci;         /* a name for messages only */
	struct nfp_eth_table *ports;
	struct nfp_net *control;
	struct nfp_net *vnic;
	struct net_device *netdev;
	struct nfp_pf pf;
	struct nfp_app app;
	void *bar;
	u32 next_table;
} shim;

/* Maps outlive their IDs: the driver frees them in a work queue. A user that needs the whole card waits until this is 0. */
static int get_maps_in_use(char *buffer, const struct kernel_param *parameter)
{
	const struct nfp_app_bpf *bpf = shim.app.priv;

	return scnprintf(buffer, PAGE_SIZE, "%u\n", bpf ? bpf->maps_in_use : 0);
}

static const struct kernel_param_ops maps_in_use = { .get = get_maps_in_use };
module_param_cb(maps_in_use, &maps_in_use, NULL, 0444);

/* --- what the driver's BPF files call in the rest of the driver ------------------- */

struct device *nfp_cpp_device(struct nfp_cpp *cpp)
{
	return &shim.dma->dev;
}

u8 __iomem *nfp_rtsym_map(struct nfp_rtsym_table *table, const char *name, const char *id, unsigned int min_size,
			  struct nfp_cpp_area **area)
{
	*area = NULL;
	return strcmp(name, "_abi_bpf_capabilities") ? IOMEM_ERR_PTR(-ENOENT) : (u8 __force __iomem *)capabilities;
}

size_t nfp_cpp_area_size(struct nfp_cpp_area *area)
{
	return sizeof(capabilities);
}

void nfp_cpp_area_release_free(struct nfp_cpp_area *area)
{
}

int nfp_app_nic_vnic_alloc(struct nfp_app *app, struct nfp_net *nn, unsigned int id)
{
	return 0;
}

int nfp_net_reconfig(struct nfp_net *nn, u32 update)
{
	return 0;
}

void nfp_check_rhashtable_empty(void *ptr, void *arg)
{
	WARN_ON_ONCE(1);
}

struct sk_buff *nfp_app_ctrl_msg_alloc(struct nfp_app *app, unsigned int size, gfp_t priority)
{
	return alloc_skb(size, priority);
}

/*
 * The control channel. The caller holds the lock that guards the replies and waits for the reply with the request's tag, which is there at
 * once. Tables have no entries, because no card fills them.
 */
bool __nfp_ctrl_tx(struct nfp_net *nn, struct sk_buff *skb)
{
	const struct nfp_ccm_hdr *request = (void *)skb->data;
	struct nfp_app_bpf *bpf = shim.app.priv;
	struct cmsg_reply_map_alloc_tbl *reply;
	struct sk_buff *answer;
	unsigned int bytes = sizeof(struct cmsg_reply_map_simple), status = CMSG_RC_SUCCESS;

	switch (request->type) {
	case NFP_CCM_TYPE_BPF_MAP_ALLOC:
	case NFP_CCM_TYPE_BPF_MAP_FREE:
		bytes = sizeof(*reply);
		break;
	case NFP_CCM_TYPE_BPF_MAP_LOOKUP:
	case NFP_CCM_TYPE_BPF_MAP_GETNEXT:
	case NFP_CCM_TYPE_BPF_MAP_GETFIRST:
	case NFP_CCM_TYPE_BPF_MAP_DELETE:
		status = CMSG_RC_ERR_MAP_NOENT;
		break;
	}
	answer = alloc_skb(sizeof(*reply), GFP_ATOMIC);
	if (!answer) {
		dev_kfree_skb_any(skb);
		return true;
	}
	reply = skb_put_zero(answer, bytes);
	reply->reply_hdr.hdr.ver = request->ver;
	reply->reply_hdr.hdr.type = __NFP_CCM_REPLY(request->type);
	reply->reply_hdr.hdr.tag = request->tag;
	reply->reply_hdr.rc = cpu_to_be32(status);
	if (request->type == NFP_CCM_TYPE_BPF_MAP_ALLOC)
		reply->tid = cpu_to_be32(++shim.next_table);
	__skb_queue_tail(&bpf->ccm.replies, answer);
	dev_consume_skb_any(skb);
	return false;
}

bool nfp_ctrl_tx(struct nfp_net *nn, struct sk_buff *skb)
{
	bool busy;

	nfp_ctrl_lock(nn);
	busy = __nfp_ctrl_tx(nn, skb);
	nfp_ctrl_unlock(nn);
	return busy;
}

/* --- the vNIC ------------------------------------------------------------------------ */

static int vnic_init(struct net_device *netdev)
{
	return shim.app.type->ndo_init(&shim.app, netdev);
}

static void vnic_uninit(struct net_device *netdev)
{
	shim.app.type->ndo_uninit(&shim.app, netdev);
}

static netdev_tx_t vnic_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* As in the driver: native mode has its own checks there, and calls none of the BPF files. */
static int vnic_bpf(struct net_device *netdev, struct netdev_bpf *request)
{
	struct nfp_net *nn = netdev_priv(netdev);
	int err;

	switch (request->command) {
	case XDP_SETUP_PROG:
		NL_SET_ERR_MSG_MOD(request->extack, "this device has no native mode");
		return -EOPNOTSUPP;
	case XDP_SETUP_PROG_HW:
		err = nfp_app_xdp_offload(nn->app, nn, request->prog, request->extack);
		if (!err)
			xdp_attachment_setup(&nn->xdp_hw, request);
		return err;
	default:
		return nfp_app_bpf(nn->app, nn, request);
	}
}

static int vnic_change_mtu(struct net_device *netdev, int mtu)
{
	struct nfp_net *nn = netdev_priv(netdev);
	int err = nfp_app_check_mtu(nn->app, netdev, mtu);

	if (!err)
		netdev->mtu = nn->dp.mtu = mtu;
	return err;
}

static const struct net_device_ops vnic_ops = {
	.ndo_init = vnic_init,
	.ndo_uninit = vnic_uninit,
	.ndo_start_xmit = vnic_xmit,
	.ndo_bpf = vnic_bpf,
	.ndo_change_mtu = vnic_change_mtu,
};

static void fill_bar(struct nfp_net *nn)
{
	nn->dp.ctrl_bar = (u8 __force __iomem *)shim.bar;
	nn_writeb(nn, NFP_NET_CFG_BPF_ABI, 2);
	nn_writeb(nn, NFP_NET_CFG_BPF_CAP, NFP_NET_BPF_CAP_RELO);
	nn_writew(nn, NFP_NET_CFG_BPF_MAX_LEN, max_instructions);
	nn_writew(nn, NFP_NET_CFG_BPF_START, START_INSTRUCTION);
	nn_writew(nn, NFP_NET_CFG_BPF_DONE, DONE_INSTRUCTION);
	nn_writeb(nn, NFP_NET_CFG_BPF_STACK_SZ, stack_chunks);
	nn_writeb(nn, NFP_NET_CFG_BPF_INL_MTU, inline_chunks);
	nn->cap = NFP_NET_CFG_CTRL_BPF;
}

static int make_devices(void)
{
	shim.dma = platform_device_register_simple("nfp_oracle", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(shim.dma))
		return PTR_ERR(shim.dma);
	shim.bar = kzalloc(CTRL_BAR_BYTES, GFP_KERNEL);
	shim.pci = kzalloc(sizeof(*shim.pci), GFP_KERNEL);
	shim.ports = kzalloc(sizeof(*shim.ports), GFP_KERNEL);
	shim.control = kvzalloc(sizeof(*shim.control), GFP_KERNEL);
	shim.netdev = alloc_etherdev(sizeof(struct nfp_net));
	if (!shim.bar || !shim.pci || !shim.ports || !shim.control || !shim.netdev)
		return -ENOMEM;
	shim.pci->dev.init_name = "nfp_oracle";
	shim.ports->count = 1;
	return dma_coerce_mask_and_coherent(&shim.dma->dev, DMA_BIT_MASK(64));
}

static void free_devices(void)
{
	if (shim.netdev)
		free_netdev(shim.netdev);
	kvfree(shim.control);
	kfree(shim.ports);
	kfree(shim.pci);
	kfree(shim.bar);
	if (!IS_ERR_OR_NULL(shim.dma))
		platform_device_unregister(shim.dma);
}

static int __init nfp_shim_init(void)
{
	struct nfp_app *app = &shim.app;
	struct nfp_net *nn;
	int err = make_devices();

	if (err)
		goto free;
	app->type = &app_bpf;
	app->pf = &shim.pf;
	app->pdev = shim.pf.pdev = shim.pci;
	app->ctrl = shim.control;
	shim.pf.eth_tbl = shim.ports;
	shim.pf.max_data_vnics = shim.ports->count;
	shim.control->dp.mtu = 16384;
	shim.control->dp.dev = &shim.dma->dev;
	spin_lock_init(&shim.control->r_vecs[0].lock);

	nn = shim.vnic = netdev_priv(shim.netdev);
	nn->app = app;
	nn->dp.dev = &shim.dma->dev;
	nn->dp.netdev = shim.netdev;
	nn->dp.mtu = shim.netdev->mtu;
	fill_bar(nn);
	err = nfp_app_init(app);
	if (err)
		goto free;
	err = app->type->start(app);
	if (err)
		goto clean;
	err = nfp_app_vnic_alloc(app, nn, 0);
	if (err)
		goto clean;

	SET_NETDEV_DEV(shim.netdev, &shim.dma->dev);
	strscpy(shim.netdev->name, "nfp0", IFNAMSIZ);
	shim.netdev->netdev_ops = &vnic_ops;
	shim.netdev->max_mtu = 9216;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	shim.netdev->xdp_features = NETDEV_XDP_ACT_HW_OFFLOAD;
#endif
	eth_hw_addr_random(shim.netdev);
	err = register_netdev(shim.netdev);
	if (!err)
		return 0;

	nfp_app_vnic_free(app, nn);
clean:
	nfp_app_clean(app);
free:
	free_devices();
	return err;
}

static void __exit nfp_shim_exit(void)
{
	unregister_netdev(shim.netdev);
	nfp_app_vnic_free(&shim.app, shim.vnic);
	nfp_app_clean(&shim.app);
	free_devices();
}

module_init(nfp_shim_init);
module_exit(nfp_shim_exit);
MODULE_DESCRIPTION("The NFP driver's BPF verifier and JIT, without a card");
MODULE_LICENSE("Dual BSD/GPL");
